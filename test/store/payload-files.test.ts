import { afterAll, beforeAll, expect, mock, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import type { PayloadFiles } from "../../src/store/payload-files.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

/** The paths that were synced, in order. */
const synced: string[] = [];
const { fsync } = fs;

// The real call, and a note of it: no test can cut the power.
await mock.module("node:fs", () => ({
  ...fs,
  fsync(descriptor: number, then: (error: NodeJS.ErrnoException | null) => void) {
    const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    fsync(descriptor, (error) => {
      synced.push(path);
      then(error);
    });
  },
}));

let directory: TemporaryDirectory;
let files: PayloadFiles;
beforeAll(async () => {
  const { payloadDirectory } = await import("../../src/store/payload-files.ts");
  directory = await temporaryDirectory();
  files = await payloadDirectory(join(directory.path, "payloads"));
});
afterAll(async () => {
  files.close();
  await directory[Symbol.asyncDispose]();
  mock.restore();
});

test("P1: a payload file and then its name are synced before a row can name it", async () => {
  const path = join(directory.path, "payloads");
  await files.write("one", new Uint8Array(100_000));
  expect(synced).toEqual([join(path, "one"), path]);
});
