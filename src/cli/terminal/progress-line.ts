import type { UnfinishedJob } from "@forebay/worker/client";
import { durationText } from "./duration-text.ts";
import { widthOf } from "./terminal-text.ts";

const ERASE_LINE = "\r\x1b[K";

/** One line on the standard error that shows the progress; nothing unless that is a terminal. */
export class ProgressLine {
  readonly isShown = process.stderr.isTTY;
  readonly #begunAt = performance.now();
  #isWritten = false;

  /** How long ago it began, ms. */
  get waited(): number {
    return performance.now() - this.#begunAt;
  }

  /** Shows the state of a job. */
  show({ status, progress }: UnfinishedJob): void {
    this.write(status, progress === undefined ? "" : `  ${JSON.stringify(progress)}`);
  }

  /** Shows `what`, the time since the start, and `beside`. */
  write(what: string, beside = ""): void {
    if (!this.isShown) return;
    const waited = durationText(this.waited);
    // One column less than the width: some terminals wrap after the last column.
    const line = `${what}  ${waited}${beside}`.slice(0, widthOf(process.stderr) - 1);
    process.stderr.write(`${ERASE_LINE}${line}`);
    this.#isWritten = true;
  }

  clear(): void {
    if (this.#isWritten) process.stderr.write(ERASE_LINE);
    this.#isWritten = false;
  }
}
