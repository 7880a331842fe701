import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { COMMANDS, loadCommands } from "../../src/cli/commands.ts";
import { helpOf } from "../../src/cli/help.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ROOT = join(import.meta.dir, "../..");

const forebay = (...words: string[]) => new ForebayCommand(words).ended();
const tooWide = (text: string): string[] => text.split("\n").filter((line) => line.length > 80);

describe("the help", () => {
  test("forebay --help names every command, in 80 columns", async () => {
    const { status, stdout, stderr } = await forebay("--help");
    expect([status, stderr]).toEqual([0, ""]);
    for (const [name, { summary }] of COMMANDS) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${RegExp.escape(summary)}$`, "m"));
    }
    expect(tooWide(stdout)).toEqual([]);
  });

  test.each([...COMMANDS])(
    "that of %s tells its flags and an example, in 80 columns",
    async (name, { load }) => {
      const command = await load();
      const help = helpOf(name, command);
      expect(help).toStartWith(`usage: forebay ${name} `);
      for (const flag of Object.keys(command.flags)) expect(help).toMatch(new RegExp(`--${flag}\\b`));
      const [, examples = ""] = help.split("\nExamples:\n");
      expect(examples).toMatch(new RegExp(`^ {2}.*forebay ${name}\\b`, "m"));
      expect(tooWide(help)).toEqual([]);
    },
  );

  test.each(["help keys create", "keys create --help", "keys create -h"])("%s", async (words) => {
    const { status, stdout, stderr } = await forebay(...words.split(" "));
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toStartWith("usage: forebay keys create <name> [flags]\n");
  });

  test("docs/command-line.md lists every command with what it does, and no other", () => {
    const page = readFileSync(join(ROOT, "docs/command-line.md"), "utf8");
    const listed = [...page.matchAll(/^\| `forebay ([a-z-]+(?: [a-z][a-z-]*)?)(?: [^`]*)?` \| (.*) \|$/gm)];
    const known = [...COMMANDS].map(([name, { summary }]) => [name, summary]);
    expect(listed.map(([, name, summary]) => [name, summary])).toEqual(known);
  });
});

describe("an unknown word is exit code 2 and one line that says what was meant", () => {
  test.each<[words: string[], sentence: string]>([
    [["runs"], 'unknown command "runs". Did you mean run or runsync? forebay --help lists them.'],
    [["cnacel"], 'unknown command "cnacel". Did you mean cancel? forebay --help lists them.'],
    [["xyzzy"], 'unknown command "xyzzy". forebay --help lists them.'],
    [["accounts"], 'unknown command "accounts". Use one of accounts create, accounts list.'],
    [
      ["accounts", "lst"],
      'unknown command "accounts lst". Use one of accounts create, accounts list. ' +
        "Did you mean accounts list?",
    ],
    [["logs", "e", "--tial", "3"], "Unknown option '--tial'. Did you mean --tail? See --help."],
    [["serve", "--prot", "1"], "Unknown option '--prot'. Did you mean --port? See --help."],
    [["completion", "tcsh"], "name the shell: bash, zsh or fish."],
  ])("forebay %p", async (words, sentence) => {
    const { status, stdout, stderr } = await forebay(...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toEndWith(`: ${sentence}\n`);
    expect(stderr.split("\n").length).toBe(2);
  });
});

describe("forebay completion", () => {
  test("bash completes commands, their second words, and their flags", async () => {
    const { stdout: script } = await forebay("completion", "bash");
    const completed = (...words: string[]): string[] => {
      const typed = words.map((word) => `'${word}'`).join(" ");
      const given = `COMP_WORDS=(forebay ${typed}); COMP_CWORD=${words.length}`;
      const ask = `${given}; _forebay; echo "\${COMPREPLY[*]}"`;
      const { stdout } = Bun.spawnSync(["bash", "-c", `${script}\n${ask}`]);
      return stdout.toString().trim().split(" ");
    };
    expect(completed("runs")).toEqual(["runsync"]);
    expect(completed("keys", "")).toEqual(["create", "list", "rotate", "revoke", "reset-admin"]);
    expect(completed("logs", "hello", "--ta")).toEqual(["--tail"]);
    expect(completed("keys", "create", "app", "--sc")).toEqual(["--scope"]);
  });

  test.each(["zsh", "fish"])("%s gets every command and every flag", async (shell) => {
    const { status, stdout } = await forebay("completion", shell);
    expect(status).toBe(0);
    for (const [name, { flags }] of await loadCommands()) {
      for (const word of [...name.split(" "), ...Object.keys(flags)]) expect(stdout).toContain(word);
    }
  });
});

describe("what a command loads", () => {
  const SAY_LOADED = 'process.on("exit", () => console.error("loaded", ...Object.keys(require.cache)));';

  /** The files of this project that the program has loaded at its end. */
  async function loadedBy(...words: string[]): Promise<string[]> {
    await using directory = await temporaryDirectory();
    const preload = join(directory.path, "say-loaded.ts");
    await writeFile(preload, SAY_LOADED);
    const main = join(ROOT, "src/cli/main.ts");
    const { stderr } = Bun.spawnSync([process.execPath, "--preload", preload, main, ...words]);
    const [, said = ""] = stderr.toString().split("loaded ");
    return said
      .trim()
      .split(" ")
      .map((path) => relative(ROOT, path));
  }

  test.each([["--version"], ["--help"], ["runs"]])("forebay %s loads no command", async (word) => {
    const loaded = await loadedBy(word);
    expect(loaded).toContain("src/cli/commands.ts");
    expect(loaded.filter((path) => /^src\/cli\/(queue|endpoints|manage|serve)|^sdk\//.test(path))).toEqual(
      [],
    );
  });

  test("one that calls a server loads nothing of the server, nor another command", async () => {
    const loaded = await loadedBy("status");
    expect(loaded).toContain("src/cli/queue/one-job.ts");
    const server = /^src\/(?!cli\/|domain\/|host\/json-log\.ts)/;
    const others = /^src\/cli\/(queue\/submit|endpoints\/|serve\.)/;
    expect(loaded.filter((path) => server.test(path) || others.test(path))).toEqual([]);
  });
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(await forebay("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});
