import { afterEach, describe, expect, test } from "bun:test";
import { Forebay, ForebayError } from "@forebay/worker/client";
import { TEST_KEY } from "../support/test-client.ts";

const LIMITED = { error: "Too many requests.", code: "RATE_LIMITED", status: 429 };
const STOPPING = { error: "The server is stopping.", code: "SHUTTING_DOWN", status: 503 };
const UNAVAILABLE = { error: "No database.", code: "STORAGE_UNAVAILABLE", status: 503 };

describe("what a client sends again", () => {
  const open: Bun.Server<undefined>[] = [];
  const calls: string[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.stop(true);
    calls.length = 0;
  });

  /** A server that refuses the calls of these numbers, from 1 on, and does the others. */
  function refusing(refusal: { status: number }, numbers: readonly number[]): string {
    const server = Bun.serve({
      port: 0,
      fetch({ method }) {
        if (numbers.includes(calls.push(method))) return Response.json(refusal, { status: refusal.status });
        if (method === "DELETE") return new Response(null, { status: 204 });
        return Response.json({ id: "a", status: "IN_QUEUE" });
      },
    });
    open.push(server);
    return server.url.origin;
  }

  test("a 503 of a database that did not answer: only what does no harm a second time", async () => {
    const client = new Forebay({ url: refusing(UNAVAILABLE, [1, 2, 4]), key: TEST_KEY });
    const endpoint = client.endpoint("e");
    expect(await codeOf(endpoint.purge())).toEqual(["STORAGE_UNAVAILABLE", 503]);
    expect(calls.length).toBe(1);
    expect(await endpoint.status("a")).toMatchObject({ id: "a" });
    expect(await endpoint.run({})).toMatchObject({ id: "a" });
    expect(calls).toEqual(["POST", "GET", "GET", "POST", "POST"]);
  });

  test("other operations: any after a 429, and a POST not after a proxy's 502", async () => {
    const told: string[] = [];
    const onRepeat = ({ code }: ForebayError): unknown => told.push(code);
    const limited = new Forebay({ url: refusing(LIMITED, [1]), key: TEST_KEY, onRepeat });
    const path = "/v1/keys";
    expect(await limited.call({ method: "POST", path, body: {} })).toMatchObject({ id: "a" });
    expect(told).toEqual(["RATE_LIMITED"]);
    expect(await limited.call({ method: "DELETE", path })).toBeUndefined();
    calls.length = 0;
    const hidden = new Forebay({ url: refusing({ status: 502 }, [1, 2]), key: TEST_KEY });
    expect(await codeOf(hidden.call({ method: "POST", path }))).toEqual(["NOT_FOREBAY", 502]);
    expect(await hidden.call({ method: "PATCH", path })).toMatchObject({ id: "a" });
    expect(calls).toEqual(["POST", "PATCH", "PATCH"]);
  });

  test("a client can wait for a busy server and yet not for one that is away", async () => {
    const given = { key: TEST_KEY, patienceAway: 0 };
    const busy = new Forebay({ url: refusing(STOPPING, [1]), ...given });
    expect(await busy.endpoint("e").status("a")).toMatchObject({ id: "a" });
    const away = new Forebay({ url: "http://127.0.0.1:9", ...given });
    expect(await codeOf(away.endpoint("e").status("a"))).toEqual(["UNREACHABLE", 0]);
  });
});

async function codeOf(call: Promise<unknown>): Promise<unknown[]> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  return error instanceof ForebayError ? [error.code, error.status] : [error];
}
