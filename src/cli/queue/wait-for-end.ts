import type { EndedJob, UnfinishedJob, WaitOptions } from "@forebay/worker/client";
import { Interrupted } from "../command-fault.ts";
import { shellWord } from "../parse-words.ts";
import type { ServerAccess } from "../server-call.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { printMessage } from "../terminal/terminal-text.ts";
import { SILENT_WAIT, waitingLines, waitReasonOf } from "./waiting-lines.ts";

/** Between two looks at the job, if a terminal shows its progress, ms. */
const LOOK = 1_000;

/** After Ctrl-C, how long to wait for the id of a job that is being submitted, ms. */
const ID_LIMIT = 2_000;

/**
 * Waits with `wait` until the job has ended, and shows its progress, and why it waits. Ctrl-C ends the wait,
 * not the job, and throws Interrupted. `id` is undefined while the job is being submitted.
 */
export async function waitForEnd(
  access: ServerAccess,
  endpoint: string,
  id: string | undefined,
  wait: (options: WaitOptions) => Promise<EndedJob>,
): Promise<EndedJob> {
  const line = new ProgressLine();
  let isOver = false;
  const explain = explanations(access, endpoint, line, () => isOver);
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
        if (line.isShown) void explain(job);
      },
    });
  } finally {
    isOver = true;
    line.clear();
  }
}

/** Prints why a job waits above the progress line, once for each reason. */
function explanations(access: ServerAccess, endpoint: string, line: ProgressLine, isOver: () => boolean) {
  let printed = "";
  return async ({ id, status }: UnfinishedJob): Promise<void> => {
    if (status !== "IN_QUEUE" || line.waited < SILENT_WAIT) return;
    const reason = await waitReasonOf(access, endpoint, id);
    if (reason === undefined || reason.code === "NEXT" || reason.code === printed || isOver()) return;
    printed = reason.code;
    line.clear();
    for (const each of waitingLines(reason)) printMessage(each);
  };
}

/** How long a command that waits for a job retries while the server is away, ms. */
export const PATIENCE = 30_000;
