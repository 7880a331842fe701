/** Prints one line for the operator of the worker, about a job if one is named. */
export function say(sentence: string, job?: string): void {
  process.stderr.write(`forebay worker: ${job === undefined ? "" : `job ${job}: `}${sentence}\n`);
}
