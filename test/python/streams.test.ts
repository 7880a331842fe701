import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { PythonProcess } from "../support/python-process.ts";
import { PythonProcesses, withPython } from "../support/python-processes.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";

setDefaultTimeout(60_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

/** All that a plain read of the stream has, and the state that came with it. */
async function read(endpoint: string, id: string): Promise<{ chunks: unknown; state: string | null }> {
  const { json, headers } = await server.get(`/v2/${endpoint}/stream/${id}`);
  return { chunks: json, state: headers.get("x-job-status") };
}

const chunksOf = (...outputs: unknown[]): unknown[] => outputs.map((output) => ({ output }));

describe("a generator of the public SDK without return_aggregate_stream", () => {
  const python = new PythonProcesses();
  let endpoint: string;
  beforeAll(async () => {
    endpoint = await server.endpoint();
    await python.worker({ server, endpoint, script: "stream.py" });
  });
  afterAll(async () => {
    // What the handler raised is the only thing that went wrong.
    python.expectNoComplaint(/"message": "out of paint"|handler: out of paint/);
    await python.end();
  });

  const job = (name: string, body: () => Promise<void>): void => test(name, () => python.show(body));

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async function ended(...yields: unknown[]): Promise<any> {
    return server.ended(endpoint, await server.run(endpoint, { yields }));
  }

  job("is COMPLETED with an empty output, and its yields can be read from the stream", async () => {
    const { id, status, output } = await ended({ yield: "Grüße" }, { yield: { n: [2] } }, { yield: null });
    expect({ status, output }).toEqual({ status: "COMPLETED", output: [] });
    expect(await read(endpoint, id)).toEqual({
      chunks: chunksOf("Grüße", { n: [2] }, null),
      state: "COMPLETED",
    });
    expect(await read(endpoint, id)).toEqual({ chunks: [], state: "COMPLETED" });
  });

  job("that raises is FAILED with the message, and what it put out before can be read", async () => {
    const { id, status, error } = await ended({ yield: 1 }, { raise: "out of paint" });
    expect(status).toBe("FAILED");
    expect(error).toStartWith("handler: out of paint \ntraceback: Traceback");
    expect(await read(endpoint, id)).toEqual({ chunks: chunksOf(1), state: "FAILED" });
  });

  job("that yields an error is FAILED with it, and its later yields are no part of the stream", async () => {
    const { id, status, error } = await ended(
      { yield: 1 },
      { yield: { error: "no more blue" } },
      { yield: 3 },
    );
    expect({ status, error }).toEqual({ status: "FAILED", error: "no more blue" });
    expect(await read(endpoint, id)).toEqual({ chunks: chunksOf(1), state: "FAILED" });
  });
});

test.concurrent("an aggregating generator is read while it runs, and its output has all yields", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "aggregate.py" });
    const id = await server.run(endpoint, { words: ["one", "two", "three"] });
    expect(await read(endpoint, id)).toEqual({ chunks: chunksOf("one"), state: "IN_PROGRESS" });
    worker.touch("go");
    const { status, output } = await server.ended(endpoint, id);
    expect({ status, output }).toEqual({ status: "COMPLETED", output: ["one", "two", "three"] });
    expect(await read(endpoint, id)).toEqual({ chunks: chunksOf("two", "three"), state: "COMPLETED" });
    python.expectNoComplaint();
  }),
);

test.concurrent("progress shows while the job runs, and late progress reopens nothing", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "progress.py" });
    const id = await server.run(endpoint);
    await progressSent(worker, 1);
    const path = `${endpoint}/status/${id}`;
    // The SDKs look for progress where the output will be; the spec knows output of completed jobs only.
    expect((await server.get(`/sdk/v2/${path}`)).json).toMatchObject({
      status: "IN_PROGRESS",
      output: { step: "halfway" },
    });
    expect((await server.get(`/v2/${path}`)).json).not.toHaveProperty("output");
    worker.touch("go");
    const record = await server.ended(endpoint, id);
    expect(record).toMatchObject({ status: "COMPLETED", output: "done" });
    await progressSent(worker, 2);
    expect(await server.status(endpoint, id)).toEqual(record);
    python.expectNoComplaint();
  }),
);

/** The server has answered the update. */
function progressSent(worker: PythonProcess, nth: number): Promise<string> {
  return worker.line(/Progress Update Sent/, nth);
}
