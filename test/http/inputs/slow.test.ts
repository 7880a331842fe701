import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { until } from "../../support/until.ts";

const MB = 1_048_576;

/** The runtime looks for silent connections every four seconds; ms. */
const LIMIT = 60_000;

/** Sends one byte more every so often, until it is told to end. */
function drip(connection: RawConnection, every: number): () => void {
  const timer = setInterval(() => connection.write("a"), every);
  return () => {
    clearInterval(timer);
    connection.end();
  };
}

/** 1 while the server has its end of the connection open, else 0: unread bytes hide the end from a reader. */
function connectionsTo(url: string, { socket }: RawConnection): number {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
  const ends = ` 0100007F:${hex(Number(new URL(url).port))} 0100007F:${hex(socket.localPort ?? 0)} 01 `;
  return readFileSync("/proc/net/tcp", "utf8").includes(ends) ? 1 : 0;
}

/** Others are served while these connections are open, and the slow ones are cut. */
async function othersAreServed({ server, endpoint }: Trial, end: Promise<unknown>): Promise<void> {
  const over = end.then(() => true);
  for (let isOver = false; !isOver;) {
    expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
    isOver = await Promise.race([over, new Promise<false>((go) => setTimeout(go, 20, false))]);
  }
}

/** A job whose status is 20 MB. */
async function large({ server, endpoint, worker }: Trial): Promise<string> {
  const id = await server.run(endpoint);
  await worker.take();
  await worker.done(id, { output: "x".repeat(20 * MB) });
  return id;
}

describe.concurrent("input 19: slow clients are cut, and others are served", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    const times = { "small-body-time-ms": "1000", "body-time-ms": "500", "rest-time-ms": "3000" };
    // The workers here send 20 MB one after the other, and do not ping meanwhile.
    const leases = { "delivery-lease-ms": "60000", "worker-lease-ms": "60000" };
    tried = await TriedServer.start({ ...times, ...leases, "body-budget-mb": "1" });
  });
  afterAll(() => tried.stop());

  test(
    "input 19: a header that comes byte by byte",
    () =>
      tried.trial(async (trial) => {
        const connection = new RawConnection(trial.server.url);
        connection.write(connection.head(`GET /v2/${trial.endpoint}/health`).slice(0, -4));
        const stop = drip(connection, 100);
        await othersAreServed(trial, connection.closed());
        stop();
        expect(connection.statuses).toEqual([]);
        return {};
      }),
    LIMIT,
  );

  test(
    "input 19: a small body that comes byte by byte",
    () =>
      tried.trial(async (trial) => {
        const connection = new RawConnection(trial.server.url);
        connection.write(connection.head(`POST /v2/${trial.endpoint}/run`, "content-length: 60000"));
        const stop = drip(connection, 100);
        await othersAreServed(trial, connection.closed());
        stop();
        expect(connection.statuses).toEqual([]);
        return {};
      }),
    LIMIT,
  );

  test(
    "input 19: a large body that comes byte by byte is answered 408, and its room is free again",
    () =>
      tried.trial(async (trial) => {
        const { server, endpoint } = trial;
        for (const [path, length, begin] of [
          [`/v2/${endpoint}/run`, "content-length: 200000", ""],
          ["/v1/templates", "transfer-encoding: chunked", `30d40\r\n${"x".repeat(100_000)}`],
        ]) {
          const connection = new RawConnection(server.url);
          connection.write(connection.head(`POST ${path}`, length ?? "") + begin);
          const stop = drip(connection, 100);
          await othersAreServed(trial, connection.closed(20_000));
          stop();
          expect(connection.statuses).toEqual([408]);
        }
        const large = `{"input":{"a":"${"x".repeat(2 * MB)}"}}`;
        expect((await server.post(`/v2/${endpoint}/run`, large)).status).toBe(200);
        return { inQueue: 1 };
      }),
    LIMIT,
  );

  test(
    "input 19: a connection on which nothing comes, before and after a request",
    () =>
      tried.trial(async (trial) => {
        const silent = new RawConnection(trial.server.url);
        const resting = new RawConnection(trial.server.url);
        resting.write(resting.head(`GET /v2/${trial.endpoint}/health`));
        await othersAreServed(trial, Promise.all([silent.closed(), resting.closed()]));
        expect(resting.statuses).toEqual([200]);
        return {};
      }),
    LIMIT,
  );

  test(
    "input 19: a reader that stops reading",
    () =>
      tried.trial(async (trial) => {
        const { server, endpoint } = trial;
        const id = await large(trial);
        const connection = new RawConnection(server.url);
        connection.socket.pause();
        connection.write(connection.head(`GET /v2/${endpoint}/status/${id}`));
        await until("the server answered", () => connectionsTo(server.url, connection) === 1);
        await othersAreServed(
          trial,
          until("it was cut", () => connectionsTo(server.url, connection) === 0),
        );
        connection.end();
        return { completed: 1 };
      }),
    LIMIT,
  );

  test(
    "input 19: a reader that takes 1 kB a second is cut: most of the time its connection stands still",
    () =>
      tried.trial(async (trial) => {
        const { server, endpoint } = trial;
        const id = await large(trial);
        const connection = new RawConnection(server.url);
        connection.socket.pause();
        connection.socket.removeAllListeners("data");
        const reading = setInterval(() => connection.socket.read(1_024), 1_000);
        connection.write(connection.head(`GET /v2/${endpoint}/status/${id}`));
        await until("the server answered", () => connectionsTo(server.url, connection) === 1);
        await othersAreServed(
          trial,
          until("it was cut", () => connectionsTo(server.url, connection) === 0),
        );
        clearInterval(reading);
        connection.end();
        return { completed: 1 };
      }),
    LIMIT,
  );

  test(
    "input 19: 5,000 idle connections",
    () =>
      tried.trial(async (trial) => {
        const connections: RawConnection[] = [];
        // As many at a time as the server's queue of new connections holds.
        while (connections.length < 5_000) {
          const more = Array.from({ length: 250 }, () => new RawConnection(trial.server.url));
          await Promise.all(more.map(({ socket }) => once(socket, "connect")));
          connections.push(...more);
        }
        await othersAreServed(trial, Promise.all(connections.map((one) => one.closed(30_000))));
        return {};
      }),
    LIMIT,
  );

  test(
    "input 19: 10,000 pipelined requests",
    () =>
      tried.trial(async (trial) => {
        const connection = new RawConnection(trial.server.url);
        connection.write(connection.head(`GET /v2/${trial.endpoint}/health`).repeat(10_000));
        await othersAreServed(trial, connection.answers(10_000));
        expect(connection.statuses.every((status) => status === 200)).toBe(true);
        connection.end();
        return {};
      }),
    LIMIT,
  );
});
