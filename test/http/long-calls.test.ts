import { afterEach, beforeEach, expect, test } from "bun:test";
import { createConnection } from "node:net";
import { newMeters } from "../../src/domain/meters.ts";
import { passOverBody } from "../../src/http/body.ts";
import { goingReply } from "../../src/http/going-reply.ts";
import { type Route, router } from "../../src/http/router.ts";
import { type HttpServer, serveHttp } from "../../src/http/server.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { NO_DISK, NO_VITALS } from "../support/no-vitals.ts";
import { until } from "../support/until.ts";

/** The shortest time that the runtime can count; it looks every 4 s whether it is over. */
const SHORTEST = 1_000;

const REQUESTS = [
  "GET /work HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /work HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
  "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
  "POST /work HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
];

/** The same, answered by a head at once and the rest later. */
const GOING = REQUESTS.map((request) => request.replace("/work", "/going"));

function byBoth(path: Route["path"], handle: Route["handle"]): Route[] {
  return (["GET", "POST"] as const).map((method) => ({ method, path, takesHead: method === "GET", handle }));
}

let server: HttpServer;
let working: PromiseWithResolvers<void>;
let started = 0;
beforeEach(() => {
  working = Promise.withResolvers();
  started = 0;
  server = serveHttp({
    host: "127.0.0.1",
    port: 0,
    log: new MemoryLog(),
    meters: newMeters(NO_VITALS, NO_DISK),
    smallBodyTime: SHORTEST,
    restTime: SHORTEST,
    connectionLimits: { connections: 0, keylessConnections: 0 },
    corsOrigins: "",
  });
  server.open(
    router([
      ...byBoth("/work", async (call) => {
        await passOverBody(call);
        started++;
        await working.promise;
        return { status: 200, headers: {}, body: "done" };
      }),
      ...byBoth("/going", async (call) => {
        await passOverBody(call);
        started++;
        return goingReply(call, {}, async function* () {
          yield "begun ";
          await working.promise;
          yield "done";
        });
      }),
    ]),
  );
});
afterEach(async () => {
  await server.stop(0);
});

test("a call keeps its connection while the server works on it; a slow sender loses it", async () => {
  const callers = [...REQUESTS, ...GOING].map((request) => connected(request));
  // Each slow sender is cut once the connections before it have been silent for just as long.
  for (let round = 0; round < 2; round++) {
    const slow = connected("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
    expect(await slow.received).toBe("");
  }
  expect(started).toBe(callers.length);
  working.resolve();
  for (const caller of callers) {
    await until("it is answered", () => caller.text().includes("done"));
    caller.socket.end();
  }
});

test("on a connection that is used again, the time to rest does not limit the next call", async () => {
  working.resolve();
  const first = connected(REQUESTS[0] ?? "");
  await until("it is answered", () => first.text().endsWith("done"));
  working = Promise.withResolvers();
  first.socket.write(REQUESTS[2] ?? "");
  const slow = connected("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
  expect(await slow.received).toBe("");
  working.resolve();
  await until("it is answered again", () => first.text().match(/done/g)?.length === 2);
  first.socket.end();
});

/** A connection that sends this at once; `received` has all that came once it is closed. */
function connected(request: string) {
  const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1");
  socket.setNoDelay(true);
  socket.write(request);
  let text = "";
  socket.on("data", (bytes) => (text += bytes.toString()));
  const received = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  return { socket, received, text: () => text };
}
