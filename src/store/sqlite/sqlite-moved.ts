import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../../host/durable-files.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

const NAME = "moved";

/** Marks a directory whose data lies at `place` now: served from both places, each job would run twice. */
export async function markMoved(directory: string, place: string): Promise<void> {
  await writeFile(join(directory, NAME), `${place}\n`, { mode: 0o600, flush: true });
  await syncDirectory(directory);
}

/** Throws a sentence when the data of the directory was moved elsewhere. */
export function refuseMoved(directory: string): void {
  const mark = join(directory, NAME);
  if (!existsSync(mark)) return;
  throw new OperatorFault(
    `the data of ${directory} was moved to a database by forebay migrate-store (${mark} says which): ` +
      "start the server with FOREBAY_DATABASE_URL, or remove that file to serve the data left here.",
  );
}
