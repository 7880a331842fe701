import type { EndedJob, WaitOptions } from "@forebay/worker/client";
import { Interrupted } from "../command-fault.ts";
import { shellWord } from "../parse-words.ts";
import { ProgressLine } from "../terminal/progress-line.ts";

/** Between two looks at the job, if a terminal shows its progress, ms. */
const LOOK = 1_000;

/** After Ctrl-C, how long to wait for the id of a job that is being submitted, ms. */
const ID_LIMIT = 2_000;

/**
 * Waits with `wait` until the job has ended, and shows its progress. Ctrl-C ends the wait, not the job, and
 * throws Interrupted. `id` is undefined while the job is being submitted.
 */
export async function waitForEnd(
  endpoint: string,
  id: string | undefined,
  wait: (options: WaitOptions) => Promise<EndedJob>,
): Promise<EndedJob> {
  const line = new ProgressLine();
  const stopping = new AbortController();
  let known = id;
  let isInterrupted = false;
  const stop = (sentence: string): void => stopping.abort(new Interrupted(sentence));
  const stopOrAskId = (): void => {
    if (known !== undefined) {
      stop(`The job continues. To wait for it again: forebay status ${shellWord(endpoint)} ${known} --wait`);
      return;
    }
    const late = "The server has not confirmed the job. To check: forebay requests ";
    AbortSignal.timeout(ID_LIMIT).addEventListener("abort", () => stop(late + endpoint));
  };
  // The listener stays: the launcher sends the same signal a second time.
  process.on("SIGINT", () => {
    isInterrupted = true;
    stopOrAskId();
  });
  try {
    return await wait({
      signal: stopping.signal,
      patience: PATIENCE,
      hold: line.isShown ? LOOK : undefined,
      onUnfinished(job) {
        known = job.id;
        if (isInterrupted) stopOrAskId();
        else line.show(job);
      },
    });
  } finally {
    line.clear();
  }
}

/** How long a command that waits for a job retries while the server is away, ms. */
export const PATIENCE = 30_000;
