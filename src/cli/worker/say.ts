/** One line for whoever runs the worker; about a job, if one is named. */
export function say(sentence: string, job?: string): void {
  process.stderr.write(`forebay worker: ${job === undefined ? "" : `job ${job}: `}${sentence}\n`);
}
