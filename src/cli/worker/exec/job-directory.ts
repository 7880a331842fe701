import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface JobDirectory extends AsyncDisposable {
  /** The working directory: empty at first. */
  readonly work: string;
  /** The file with the input, beside it. */
  readonly inputFile: string;
}

/** What a job has on the disk, from now to its end. */
export async function makeJobDirectory(input: string): Promise<JobDirectory> {
  const path = await mkdtemp(join(tmpdir(), "forebay-job-"));
  const directory = {
    work: join(path, "work"),
    inputFile: join(path, "input.json"),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
  await mkdir(directory.work);
  await writeFile(directory.inputFile, input);
  return directory;
}
