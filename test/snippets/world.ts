import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { prepareWheels, pythonProgram } from "../support/python.ts";
import { until } from "../support/until.ts";

export const ROOT = join(import.meta.dir, "../..");

/** How long a block may take, ms. */
const BLOCK_LIMIT = 150_000;

const NAMESPACES = ["--net", "--pid", "--mount-proc", "--fork", "--kill-child=SIGKILL"];

/** Pages have networks of their own, so that each has a port 8000: that takes root, or user namespaces. */
const UNSHARE = [NAMESPACES, ["--map-root-user", ...NAMESPACES]].find(
  (flags) => spawnSync("unshare", [...flags, "ip", "link", "set", "lo", "up"]).status === 0,
);

/** Pages that share a network run one after the other. */
export const IS_ISOLATED = UNSHARE !== undefined;

/** Refuses what a server refuses, so that a block does not go on with an error as its answer. */
const CURL = `#!/bin/sh
for word; do
  case $word in --fail* | -f* | -[!-]*f*) exec ${Bun.which("curl")} "$@" ;; esac
done
exec ${Bun.which("curl")} --fail-with-body "$@"
`;

/** The tests run as root, and need not have sudo. */
const SUDO = `#!/bin/sh
if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi
exec "$@"
`;

/** How a block is run; `fail` is one that has to end with the exit code `code`. */
export type How = "run" | "fail" | "background";

/** A directory, a network and a shell session of one page. */
export class World {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-page-"));
  readonly #child: ChildProcess;
  readonly #done = new Set<string>();
  #hasEnded = false;
  #said = "";

  constructor(gateway: string) {
    for (const name of ["bin", "blocks", "home", "work"]) mkdirSync(join(this.directory, name));
    this.#program("forebay", `#!/bin/sh\nexec node "${ROOT}/bin/forebay.mjs" "$@"\n`);
    this.#program("curl", CURL);
    this.#program("sudo", SUDO);
    const session = ["bash", join(import.meta.dir, "session.sh")];
    const [program = "", ...args] = UNSHARE === undefined ? session : ["unshare", ...UNSHARE, ...session];
    const child = spawn(program, args, {
      env: this.#env(gateway),
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    const say = (piece: Buffer): void => void (this.#said += piece.toString());
    child.stdout?.on("data", say);
    child.stderr?.on("data", say);
    child.on("exit", () => (this.#hasEnded = true));
    const answers = child.stdio[3];
    if (answers === undefined || answers === null || !("readable" in answers))
      throw new Error("no descriptor 3");
    createInterface(answers).on("line", (number) => this.#done.add(number));
  }

  write(name: string, text: string): void {
    const path = join(this.directory, "work", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }

  /** Runs lines of shell in the session; the answer is what they printed. Fails with it when they fail. */
  async run(number: string, script: string, how: How = "run", code = 0): Promise<string> {
    writeFileSync(join(this.directory, "blocks", number), script);
    this.#child.stdin?.write(`${how} ${number} ${code}\n`);
    await until(
      `block ${number} has ended:\n${this.output(number)}`,
      () => {
        if (this.#done.has(number)) return true;
        if (this.#hasEnded) throw new Error(`${this.output(number)}${this.#said}`);
        return false;
      },
      BLOCK_LIMIT,
    );
    return this.output(number);
  }

  /** Waits until a block in the background has printed something like this. */
  async printed(number: string, pattern: RegExp): Promise<void> {
    await until(
      `it prints ${pattern}`,
      () => {
        if (this.#hasEnded) throw new Error(this.#said);
        if (pattern.test(this.output(number))) return true;
        if (/^ended with exit code \d+$/m.test(this.output(number))) throw new Error("it ended");
        return false;
      },
      BLOCK_LIMIT,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.output(number)}`);
    });
  }

  output(number: string): string {
    const path = join(this.directory, "blocks", `${number}.out`);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** Kills all that runs in it, and removes its files. */
  async end(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#hasEnded) {
      process.kill(-pid, "SIGKILL");
      await until("the session has ended", () => this.#hasEnded);
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  #program(name: string, text: string): void {
    writeFileSync(join(this.directory, "bin", name), text);
    chmodSync(join(this.directory, "bin", name), 0o755);
  }

  #env(gateway: string): NodeJS.ProcessEnv {
    const { FOREBAY_KEY: _, FOREBAY_URL: __, FOREBAY_DATA: ___, ...own } = process.env;
    const key = "fbk_of_the_pages";
    const home = join(this.directory, "home");
    return {
      ...own,
      // A program of node_modules/.bin would hide what a reader has to install.
      PATH: [join(this.directory, "bin"), join(home, "npm/bin"), ...pathsOf(own["PATH"])].join(delimiter),
      HOME: home,
      npm_config_prefix: join(home, "npm"),
      npm_config_cache: own["npm_config_cache"] ?? join(homedir(), ".npm"),
      npm_config_prefer_offline: "true",
      PIP_COMPILE: "false",
      // Else Python keeps what it prints until there is a page of it.
      PYTHONUNBUFFERED: "1",
      // pip installs from files: to ask the index for a hundred packages takes a minute.
      PIP_NO_INDEX: "true",
      PIP_FIND_LINKS: prepareWheels(),
      ROOT,
      WORLD: this.directory,
      GATEWAY: gateway,
      ISOLATED: IS_ISOLATED ? "yes" : "",
      BUN: process.execPath,
      PYTHON_BIN: dirname(pythonProgram()),
      OPENAI_PYTHON_BIN: dirname(pythonProgram("openai")),
      FOREBAY_KEY: key,
      FOREBAY_ADMIN_KEY: key,
      FOREBAY_URL: "http://127.0.0.1:8000",
    };
  }
}

function pathsOf(path = ""): string[] {
  return path.split(delimiter).filter((directory) => !directory.includes("node_modules"));
}
