import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** A new empty directory that goes at the end of the block that holds it with `await using`. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "forebay-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
