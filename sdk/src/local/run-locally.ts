import process from "node:process";
import type { RunnerOptions } from "../runner.ts";
import { obeySignals } from "../stop-signals.ts";
import { type LocalMode, parseSubmission, UsageFault } from "./arguments.ts";
import { LocalApi } from "./local-api.ts";
import { LocalJobs } from "./local-jobs.ts";

/** The exit code if the arguments, or the test input, are invalid. */
const USAGE_FAULT = 2;

/** Runs jobs without a server. The exit code says how the test job ended. */
export async function runLocally(
  mode: LocalMode,
  concurrency: number,
  options: Omit<RunnerOptions, "workerId">,
): Promise<void> {
  const { log } = options;
  const jobs = new LocalJobs({ ...options, workerId: "local" }, concurrency);
  try {
    if (mode.kind === "test") process.exitCode = await runTestJob(mode, jobs);
    else {
      const api = await LocalApi.listen(mode, jobs, log);
      const stopListening = obeySignals(api, log);
      await api.run();
      stopListening();
    }
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    log.error(error.message);
    process.exitCode = USAGE_FAULT;
  }
}

/** Prints the record of the job, with its chunks if it has any, and returns the exit code. */
async function runTestJob(
  { source, text }: Extract<LocalMode, { kind: "test" }>,
  jobs: LocalJobs,
): Promise<number> {
  const record = jobs.submit(parseSubmission(source, text, () => "local_test"));
  await record.until(() => record.hasEnded);
  const { told, chunks } = record;
  const stream = chunks.length === 0 ? {} : { stream: chunks };
  process.stdout.write(`${JSON.stringify({ ...told, ...stream }, undefined, 2)}\n`);
  return told.status === "COMPLETED" ? 0 : 1;
}
