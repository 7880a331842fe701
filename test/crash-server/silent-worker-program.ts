// A worker as the public SDK 1.7 is without RUNPOD_POD_ID: a new id at each start, one job at a time, no
// pings, and no call at all while its handler runs. A result that does not arrive is gone.
import { TestWorker } from "../support/test-worker.ts";
import { RecordedWork, type WorkedJob } from "./recorded-work.ts";

/** The SDK repeats a result after 5xx only, this often in all. */
const ATTEMPTS = 3;
/** The SDK asks again at once; on a machine that runs a whole test that is a little often, ms. */
const PAUSE = 20;

const work = new RecordedWork();
const worker = new TestWorker(definedOf(process.env), crypto.randomUUID());
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());

while (!ending.signal.aborted) {
  const job = await nextJob();
  if (job === undefined) await Bun.sleep(PAUSE);
  else await report(job.id, await work.run(job));
}
process.exit(0);

async function nextJob(): Promise<WorkedJob | undefined> {
  const answer = await worker.take(0).catch(() => undefined);
  return answer?.status === 200 ? answer.json : undefined;
}

async function report(id: string, result: { error: string } | { by: string }): Promise<void> {
  const body = "error" in result ? result : { output: result };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await worker.done(id, body).catch(() => undefined);
    if (answer === undefined || answer.status < 500) return;
  }
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
