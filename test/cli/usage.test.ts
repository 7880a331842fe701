import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";

const ROOT = join(import.meta.dir, "../..");
const COMMANDS = [
  ..."serve,dev,worker env,logs,migrate-store,run,runsync,status,job,stream".split(","),
  ..."cancel,retry,health,statistics,purge,requests".split(","),
  ..."accounts create,accounts list,keys create,keys list,keys rotate,keys revoke".split(","),
];

const forebay = (...words: string[]) => new ForebayCommand(words).ended();

describe("forebay --help", () => {
  test("names every command, in 80 columns", async () => {
    const { status, stdout, stderr } = await forebay("--help");
    expect([status, stderr]).toEqual([0, ""]);
    for (const name of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test.each(COMMANDS)("forebay %s --help tells its flags, in 80 columns", async (name) => {
    const { status, stdout, stderr } = await forebay(...name.split(" "), "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toStartWith(`usage: forebay ${name} `);
    expect(stdout).toContain("\n  --");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("a command that there is not is exit code 2, with those that there are", async () => {
    const { status, stdout, stderr } = await forebay("runs");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toStartWith('forebay: there is no command "runs".\n\nusage: forebay <command> [flags]\n');
  });

  test("--version prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(await forebay("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });
});
