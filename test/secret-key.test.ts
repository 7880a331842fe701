import { describe, expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadSecretKeys } from "../src/data/secret-key.ts";
import { rejection } from "./support/rejection.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

describe("the key that encrypts secrets at rest", () => {
  test("is made once, for its owner alone, and is the same at every later start", async () => {
    await using directory = await temporaryDirectory();
    const [first = ""] = await load(directory.path);
    expect(Buffer.from(first, "base64url")).toHaveLength(32);
    expect(await load(directory.path)).toEqual([first]);
    expect((await stat(join(directory.path, "data.key"))).mode & 0o777).toBe(0o600);
  });

  test("is not written before the data is known to need no other one", async () => {
    await using directory = await temporaryDirectory();
    const { write } = await loadSecretKeys({ ...NOTHING, data: join(directory.path, "data") });
    expect(await readdir(directory.path)).toEqual([]);
    await write();
    expect(await readdir(directory.path)).toEqual(["data.key"]);
  });

  test("that a kill left unfinished is made anew", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "data.key.new"), "half of");
    const [key] = await load(directory.path);
    expect(await readdir(directory.path)).toEqual(["data.key"]);
    expect(await readFile(join(directory.path, "data.key"), "utf8")).toBe(`${key}\n`);
  });

  test("can be several: a line each, the newest first, or the one before in the environment", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "data.key"), "newer\r\n\nolder\n");
    expect(await load(directory.path)).toEqual(["newer", "older"]);
    const data = join(directory.path, "data");
    const told = { ...NOTHING, data, secretKey: "a", secretKeyPrevious: "b" };
    expect(await loadSecretKeys(told)).toMatchObject({ keys: ["a", "b"], keep: undefined });
    const alone = loadSecretKeys({ ...NOTHING, data, secretKeyPrevious: "b" });
    expect(await rejection(alone)).toContain("FOREBAY_SECRET_KEY is not");
  });

  test("is not taken from an empty file: the sentence says what to do", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "data.key"), "\n");
    expect(await rejection(load(directory.path))).toContain("data.key is empty");
  });
});

const NOTHING = { secretKey: "", secretKeyPrevious: "", secretKeyFile: "", databaseUrl: "" };

async function load(directory: string): Promise<readonly string[]> {
  const { keys, write } = await loadSecretKeys({ ...NOTHING, data: join(directory, "data") });
  await write();
  return keys;
}
