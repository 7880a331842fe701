import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";

describe("the commands for accounts and keys", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  const ended = (...args: string[]) => new ForebayCommand(args, { env: server.env }).ended();
  const json = async (...args: string[]) => {
    const { status, stdout, stderr } = await ended(...args, "--json");
    expect([stderr, status]).toEqual(["", 0]);
    return JSON.parse(stdout);
  };
  const opens = async (key: string) =>
    (await server.get("/v1/endpoints", { authorization: key })).status === 200;

  test("give a team its own key, as docs/accounts.md says", async () => {
    const account = await json("accounts", "create", "vision");
    expect((await json("accounts", "list")).map(({ name }: { name: string }) => name)).toEqual([
      "default",
      "vision",
    ]);
    const made = await ended("keys", "create", "lead", "--scope", "manage", "--account", account.id);
    const [, key = "", id = ""] = /^key +(\S+)\nid +(\S+)\n/.exec(made.stdout) ?? [];
    expect(made.stdout).toEndWith("The key is shown only now.\n");
    expect(await opens(key)).toBe(true);
    const listed = await ended("keys", "list", "--account", account.id);
    expect(listed.stdout).toMatch(new RegExp(`^ID.*\n${id} +lead +manage +20`));
    expect(listed.stdout).not.toContain(key);

    const rotated = await json("keys", "rotate", id, "--overlap", "1h");
    expect([await opens(key), await opens(rotated.key)]).toEqual([true, true]);
    const last = await json("keys", "rotate", id, "--overlap", "0s");
    expect([await opens(rotated.key), await opens(last.key)]).toEqual([false, true]);
    expect(await ended("keys", "revoke", id)).toMatchObject({ status: 0, stdout: `${id} revoked\n` });
    expect(await opens(last.key)).toBe(false);
  });

  test("a key is bound to the endpoints that are named", async () => {
    const endpoint = await server.endpoint();
    const flags = ["--scope", "read", "--scope", "write", "--endpoint", endpoint];
    const key = await json("keys", "create", "app", ...flags);
    expect(key).toMatchObject({ scopes: ["read", "write"], endpoints: [endpoint], account: "default" });
  });

  test.each<[args: string[], sentence: string]>([
    [["accounts", "create"], "the name of the account is missing. See --help."],
    [["keys", "create", "a"], "give the key a scope: --scope read, write, manage, admin or metrics."],
    [["keys", "create", "a", "--scope", "root"], "scopes.0: "],
    [["keys", "list", "more"], 'unexpected argument "more".'],
    [["keys", "rotate", "../x"], '"../x" is not the id of a key: forebay keys list shows them.'],
    [
      ["keys", "rotate", "a", "--overlap", "day"],
      '--overlap must be a duration such as 500ms, 30s, 10m, 24h, 7d or 1h 30m, got "day".',
    ],
    [["keys", "revoke", "absent"], "There is no key absent."],
  ])("%p is exit code 2 with a sentence", async (args, sentence) => {
    const { status, stdout, stderr } = await ended(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
  });
});
