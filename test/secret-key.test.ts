import { describe, expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadSecretKey } from "../src/secret-key.ts";
import { rejection } from "./support/rejection.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

describe("the key that encrypts secrets at rest", () => {
  test("is made once, for its owner alone, and is the same at every later start", async () => {
    await using directory = await temporaryDirectory();
    const first = await load(directory.path);
    expect(Buffer.from(first, "base64")).toHaveLength(32);
    expect(await load(directory.path)).toBe(first);
    expect((await stat(join(directory.path, "data.key"))).mode & 0o777).toBe(0o600);
  });

  test("that a kill left unfinished is made anew", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "data.key.new"), "half of");
    const key = await load(directory.path);
    expect(await readdir(directory.path)).toEqual(["data.key"]);
    expect(await readFile(join(directory.path, "data.key"), "utf8")).toBe(`${key}\n`);
  });

  test("is not taken from an empty file: the sentence says what to do", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "data.key"), "\n");
    expect(await rejection(load(directory.path))).toContain("data.key is empty");
  });
});

function load(directory: string): Promise<string> {
  return loadSecretKey({ secretKey: "", secretKeyFile: "", data: join(directory, "data") });
}
