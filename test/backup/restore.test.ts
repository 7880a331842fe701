import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FOREBAY, ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { contentsOf, copyKey, dataOf, forebay, LARGE } from "./backup-world.ts";

const JOBS = 60;

describe("forebay restore", () => {
  let server: ServerProcess;
  let file: string;
  let endpoint: string;
  let job: string;
  beforeAll(async () => {
    server = await ServerProcess.start();
    file = join(server.directory, "forebay.tar");
    endpoint = await server.endpoint();
    for (let jobs = 0; jobs < JOBS; jobs++) job = await server.run(endpoint, LARGE);
    expect((await forebay(server, "backup", file)).status).toBe(0);
  });
  afterAll(() => server.stop());

  let places = 0;
  /** A path beside which the key lies. */
  const place = (): string => {
    const path = join(server.directory, `restored-${++places}`);
    copyKey(server, path);
    return path;
  };
  const served = async (path: string): Promise<void> => {
    const restored = await ServerProcess.start({ flags: { data: path } });
    try {
      expect(await restored.status(endpoint, job)).toMatchObject({ status: "IN_QUEUE" });
    } finally {
      await restored.stop();
    }
  };
  const refused = async (backup: string, target: string, sentence: string, ...words: string[]) => {
    const before = contentsOf(target);
    const { status, stdout, stderr } = await forebay(
      undefined,
      "restore",
      backup,
      "--data",
      target,
      ...words,
    );
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(sentence)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(contentsOf(target)).toEqual(before);
  };

  test("fills a missing directory and an empty one, as the root of a volume is", async () => {
    const [missing, empty] = [place(), place()];
    mkdirSync(join(empty, "lost+found"), { recursive: true });
    for (const target of [missing, empty]) {
      const { status, stdout } = await forebay(undefined, "restore", file, "--data", target);
      expect([status, stdout]).toEqual([0, expect.stringContaining(`forebay serve --data ${target}`)]);
      await served(target);
    }
  });

  test("reads a backup from the standard input", async () => {
    const target = place();
    const { exitCode } = Bun.spawnSync(["node", FOREBAY, "restore", "-", "--data", target], {
      stdin: Bun.file(file),
    });
    expect(exitCode).toBe(0);
    await served(target);
  });

  test("--check compares all checksums and writes nothing", async () => {
    const found = () => [process.cwd(), server.directory].map((path) => readdirSync(path).toSorted());
    const damaged = join(server.directory, "flipped.tar");
    const flipped = readFileSync(file);
    flipped[20_000] = (flipped[20_000] ?? 0) ^ 1;
    writeFileSync(damaged, flipped);
    const before = found();
    const { status, stdout } = await forebay(undefined, "restore", file, "--check");
    expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`jobs +${JOBS}\\n`))]);
    const refusal = await forebay(undefined, "restore", damaged, "--check");
    expect([refusal.status, refusal.stderr]).toEqual([2, expect.stringContaining("damaged or incomplete")]);
    expect(found()).toEqual(before);
  });

  test("refuses a backup that was cut off anywhere, or has one byte that differs", async () => {
    const whole = readFileSync(file);
    const damaged = join(server.directory, "damaged.tar");
    for (const share of [0, 0.000_01, 0.01, 0.3, 0.99]) {
      writeFileSync(damaged, whole.subarray(0, Math.floor(whole.length * share)));
      await refused(damaged, place(), "The backup is damaged or incomplete");
    }
    // In the database, in a payload, in the head of a file, in the manifest.
    const manifestAt = whole.lastIndexOf('"sha256"');
    for (const at of [20_000, Math.floor(whole.length / 2), whole.indexOf("payloads/"), manifestAt + 20]) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      writeFileSync(damaged, flipped);
      await refused(damaged, place(), "The backup is damaged or incomplete");
    }
  });

  test("refuses what is no backup, and one of a newer format", async () => {
    const other = join(server.directory, "other.tar");
    Bun.spawnSync(["tar", "-cf", other, "-C", server.directory, "commands.json"]);
    await refused(other, place(), "This is not a file of forebay backup");
    writeFileSync(other, "hello");
    await refused(other, place(), "The backup is damaged or incomplete");
    const newer = readFileSync(file, "latin1").replace('"formatVersion": 1', '"formatVersion": 2');
    writeFileSync(other, newer, "latin1");
    await refused(other, place(), "in a newer format. Restore it with that version.");
    await refused(join(server.directory, "none.tar"), place(), "none.tar does not exist");
    await refused(server.directory, place(), "is a directory. Name the file");
  });

  test("refuses a directory that is used, and a file in its place", async () => {
    const used = place();
    mkdirSync(used);
    writeFileSync(join(used, "notes.txt"), "mine");
    await refused(file, used, "is not empty: it has notes.txt");
    const { status, stderr } = await forebay(undefined, "restore", file, "--data", dataOf(server));
    expect([status, stderr]).toEqual([2, expect.stringContaining("is not empty")]);
    expect(await server.status(endpoint, job)).toMatchObject({ status: "IN_QUEUE" });
    const taken = place();
    writeFileSync(taken, "mine");
    await refused(file, taken, taken);
  });

  test("refuses without the key, and with another one", async () => {
    const target = place();
    rmSync(`${target}.key`);
    await refused(file, target, `The key file ${target}.key is missing`);
    writeFileSync(`${target}.key`, "another key\n");
    await refused(file, target, "cannot decrypt the secrets in this backup");
    await refused(file, target, "is missing", "--secret-key-file", join(server.directory, "none.key"));
  });

  test("that is killed at any moment can be run again, and is not served before", async () => {
    const target = place();
    let unfinished = 0;
    for (let at = 0; at < 8; at++) {
      const child = spawn(process.execPath, ["src/cli/main.ts", "restore", file, "--data", target]);
      const ended = new Promise((resolve) => child.on("close", resolve));
      // Each time a little later: while it is read, checked, moved into its place.
      await until(
        "it has written so much",
        () => child.exitCode !== null || writtenIn(target) >= (JOBS * at) / 7,
      );
      child.kill("SIGKILL");
      await ended;
      if (!existsSync(join(target, "restoring"))) break;
      unfinished++;
      const words = ["serve", "--port", "0", "--data", target];
      const { status, stderr } = await forebay(undefined, ...words);
      expect([status, stderr]).toEqual([2, expect.stringContaining("Run forebay restore again")]);
    }
    expect(unfinished).toBeGreaterThan(3);
    if (existsSync(join(target, "restoring"))) {
      expect((await forebay(undefined, "restore", file, "--data", target)).status).toBe(0);
    }
    await served(target);
  });

  test.each([
    ["the payloads are moved", ["payloads"]],
    ["the database is moved", ["payloads", "forebay.db"]],
    ["all is moved", ["payloads", "forebay.db", "forebay.db-stopped", "identity"]],
  ])("that was cut off when %s begins anew", async (_when, moved) => {
    const [whole, target] = [place(), place()];
    expect((await forebay(undefined, "restore", file, "--data", whole)).status).toBe(0);
    mkdirSync(join(target, "restoring"), { recursive: true });
    for (const name of moved) cpSync(join(whole, name), join(target, name), { recursive: true });
    const { status, stderr } = await forebay(undefined, "serve", "--port", "0", "--data", target);
    expect([status, stderr]).toEqual([2, expect.stringContaining("Run forebay restore again")]);
    expect((await forebay(undefined, "restore", file, "--data", target)).status).toBe(0);
    await served(target);
  });

  /** How many payload files a restore has written so far. */
  function writtenIn(target: string): number {
    const inWork = join(target, "restoring", "payloads");
    const moved = join(target, "payloads");
    if (existsSync(moved)) return JOBS + 1;
    return existsSync(inWork) ? readdirSync(inWork).length : -1;
  }
});
