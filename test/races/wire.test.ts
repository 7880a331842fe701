import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

describe("races on the wire", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let ids: string[];
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    ids = [await server.run(endpoint), await server.run(endpoint)];
    for (const id of ids) expect((await worker.take(0)).json.id).toBe(id);
  });
  afterEach(() => server.stop());

  const recordOf = (index: number) => server.status(endpoint, ids[index] ?? "");

  const UNREADABLE = '{"output":';

  test("R25, result first: a later one that is unreadable changes nothing", async () => {
    await worker.done(ids[0] ?? "", { output: 1 });
    expect((await worker.done(ids[0] ?? "", UNREADABLE)).status).toBe(200);
    expect(await recordOf(0)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  test("R25, unreadable result first: the job is FAILED at once, and stays so", async () => {
    expect((await worker.done(ids[0] ?? "", UNREADABLE)).status).toBe(200);
    expect(await recordOf(0)).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("the result could not be kept"),
    });
    await worker.done(ids[0] ?? "", { output: 1 });
    expect((await recordOf(0)).status).toBe("FAILED");
  });

  /** Posts the result of a job under a header that names another one, as the public SDK may. */
  async function doneUnderWrongName(index: number): Promise<void> {
    const response = await fetch(doneAddress(index), {
      method: "POST",
      headers: { authorization: worker.env["RUNPOD_AI_API_KEY"] ?? "", "x-request-id": ids[1 - index] ?? "" },
      body: JSON.stringify({ output: index }),
    });
    expect(response.status).toBe(200);
  }

  function doneAddress(index: number): string {
    const template = worker.env["RUNPOD_WEBHOOK_POST_OUTPUT"] ?? "";
    return template.replace("$RUNPOD_POD_ID", worker.id).replace("$ID", ids[index] ?? "");
  }

  test("R26, older job first: its result is its own, whatever X-Request-ID says", async () => {
    await doneUnderWrongName(0);
    expect([(await recordOf(0)).output, (await recordOf(1)).status]).toEqual([0, "IN_PROGRESS"]);
    await doneUnderWrongName(1);
    expect((await recordOf(1)).output).toBe(1);
  });

  test("R26, newer job first: its result is its own, whatever X-Request-ID says", async () => {
    await doneUnderWrongName(1);
    expect([(await recordOf(1)).output, (await recordOf(0)).status]).toEqual([1, "IN_PROGRESS"]);
    await doneUnderWrongName(0);
    expect((await recordOf(0)).output).toBe(0);
  });

  /** Sends the first `length` bytes of a result on a connection of its own, and reads nothing. */
  function sendResult(length: number): Socket {
    const url = new URL(doneAddress(0));
    const body = '{"output":"kept"}';
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.on("error", () => undefined); // it is reset on purpose
    socket.write(
      `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n` +
        `authorization: ${worker.env["RUNPOD_AI_API_KEY"]}\r\ncontent-length: ${body.length}\r\n\r\n` +
        body.slice(0, length),
    );
    return socket;
  }

  test("R27, result first: when the answer is lost, the same result sent again changes nothing", async () => {
    using socket = closing(sendResult(Infinity));
    await until("the result is stored", async () => (await recordOf(0)).status === "COMPLETED");
    socket.close();
    expect((await worker.done(ids[0] ?? "", { output: "again" })).status).toBe(200);
    expect(await recordOf(0)).toMatchObject({ status: "COMPLETED", output: "kept" });
  });

  test("R27, close first: a result that was cut off counts as none, and sent again it counts", async () => {
    using socket = closing(sendResult(9));
    await server.status(endpoint, ids[0] ?? "");
    socket.close();
    expect((await recordOf(0)).status).toBe("IN_PROGRESS");
    expect((await worker.done(ids[0] ?? "", { output: "again" })).status).toBe(200);
    expect(await recordOf(0)).toMatchObject({ status: "COMPLETED", output: "again" });
  });
});

function closing(socket: Socket): Disposable & { close(): void } {
  const close = (): void => void socket.resetAndDestroy();
  return { close, [Symbol.dispose]: close };
}
