import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { expectKeyReset, resetAdmin } from "../support/reset-admin.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

describe("forebay keys reset-admin", () => {
  let server: ServerProcess;
  let data: string;
  beforeEach(async () => {
    server = await ServerProcess.start({ flags: { "admin-key": "" } });
    data = join(server.directory, "data");
  });
  afterEach(() => server.stop());
  const request = () => join(data, "admin-key-request.json");
  const unfinished = () => join(server.directory, "unfinished");

  test("gives a running server a new admin key, and the lost one stays valid", async () => {
    await expectKeyReset(server, data);
    expect(existsSync(request())).toBe(false);
  });

  test("gives a stopped server the key from its next start", async () => {
    await server.terminate();
    const { key, isCreated } = await resetAdmin(data);
    expect(isCreated).toBe(false);
    await server.startAgain();
    await until("the key opens all", async () => {
      return (await server.get("/v1/accounts", { authorization: key })).status === 200;
    });
    await until("the request is removed", () => !existsSync(request()));
  });

  test("a request that others can write, or that is none, creates no key and is removed", async () => {
    const valid = JSON.stringify({ id: "a".repeat(14), digest: "0".repeat(64) });
    const acts: [string, () => void][] = [
      ["{", () => undefined],
      ['{"id": "short", "digest": ""}', () => undefined],
      [valid, () => chmodSync(unfinished(), 0o666)],
      ...(process.getuid?.() === 0
        ? [[valid, () => chownSync(unfinished(), 65_534, 65_534)] satisfies [string, () => void]]
        : []),
    ];
    for (const [index, [text, act]] of acts.entries()) {
      writeFileSync(unfinished(), text, { mode: 0o600 });
      act();
      renameSync(unfinished(), request());
      const message = "a request for an admin key is not valid, or others can write it: it was removed";
      await until("it is refused", () => server.logged(message).length > index);
      await until("it is removed", () => !existsSync(request()));
    }
    expect(server.logged("an admin key was created by forebay keys reset-admin")).toEqual([]);
  });

  test.each<[args: string[], sentence: RegExp]>([
    [
      ["--data", ":memory:"],
      /^Data in memory has no lost key: restart the server, and it prints a new one\.$/,
    ],
    [
      ["--data", "/nowhere/data"],
      /^No server has stored data in \/nowhere\/data\. Name the directory .*--data\.$/,
    ],
    [["more"], /^unexpected argument "more"\. See --help\.$/],
  ])("%j is one sentence and exit code 2", async (args, sentence) => {
    const { status, stdout, stderr } = await new ForebayCommand(["keys", "reset-admin", ...args]).ended();
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.replace("forebay keys reset-admin: ", "").trimEnd()).toMatch(sentence);
  });

  test.skipIf(process.getuid?.() !== 0)("in the directory of another user is one sentence", async () => {
    await using other = await temporaryDirectory();
    chmodSync(data, 0o700);
    const main = join(import.meta.dir, "../../src/cli/main.ts");
    const { exitCode, stderr } = Bun.spawnSync(
      [
        "setpriv",
        "--reuid=65534",
        "--clear-groups",
        process.execPath,
        main,
        "keys",
        "reset-admin",
        "--data",
        data,
      ],
      { env: { ...process.env, HOME: other.path } },
    );
    expect(stderr.toString()).toMatch(
      /belongs to another user\. Run this as the user of the server, or as root\.\n$/,
    );
    expect(exitCode).toBe(2);
  });
});
