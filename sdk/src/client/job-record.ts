import type { Job } from "./job.ts";

/** The job that an answer tells of: the dialect of the SDKs has the progress where the output will be. */
export function jobOf<Output>(body: Readonly<Record<string, unknown>>): Job<Output> {
  const { output, ...rest } = body;
  const hasProgress = body["status"] === "IN_PROGRESS" && output !== undefined;
  // The server's records have the members that docs/api.md promises.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (hasProgress ? { ...rest, progress: output } : body) as unknown as Job<Output>;
}
