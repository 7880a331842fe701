import { CANARY } from "./canary.ts";
import type { TestWorker } from "../support/test-worker.ts";

/** Two values of each: numbers and text that must come back as they are. */
const OUTPUTS = ['{"n":9007199254740993,"z":-0}', '"\\u0000 😀 é"', "null", "[1e999,1.0]"] as const;

/**
 * Takes jobs by the public protocol and ends each at once: completed, failed, in chunks, after some progress,
 * or with a result that cannot be kept. Resolves after the call that is under way when it is told to end.
 */
export async function liveWorker(worker: TestWorker, end: AbortSignal): Promise<void> {
  for (let count = 0; !end.aborted; count++) {
    const { status, json } = await worker.takeBatch(3);
    if (status !== 200) continue;
    for (const { id, input } of json) {
      if (input.canary === CANARY) await worker.done(id, { output: CANARY });
      else await work(worker, id, count++);
    }
  }
}

async function work(worker: TestWorker, id: string, count: number): Promise<void> {
  const output = OUTPUTS[count % OUTPUTS.length] ?? "null";
  const kind = count % 11;
  if (kind === 0) await worker.done(id, { error: { count, reason: "二" } });
  else if (kind === 1) await worker.done(id, "no result");
  else {
    if (kind < 4) await worker.done(id, `{"status":"IN_PROGRESS","output":${output}}`);
    if (kind < 6) await worker.stream(id, `{"output":${output},"metrics":{"count":${count}}}`);
    if (kind === 7) await worker.ping([id]);
    await worker.done(id, kind === 8 ? "{}" : `{"output":${output}}`);
  }
}
