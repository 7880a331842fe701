import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { readLines } from "../../../fleet/read-lines.ts";

/** A shell script: it remembers the running groups, confirms each, and kills them when its input ends. */
const SCRIPT = `
groups=
while read -r word group; do
  case $word in
    begun) groups="$groups $group"; echo "$group" ;;
    gone)
      others=
      for one in $groups; do [ "$one" = "$group" ] || others="$others $one"; done
      groups=$others ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/**
 * A shell beside the worker that kills the jobs of a killed worker. It notices the end of the worker by the
 * end of its input.
 */
export class Guard {
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<void>;
  /** Groups that the shell has not confirmed yet. */
  readonly #told = new Map<string, () => void>();

  constructor() {
    const stdio: ["pipe", "pipe", "ignore"] = ["pipe", "pipe", "ignore"];
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", env: {}, detached: true, stdio });
    this.#ended = new Promise((resolve) => this.#shell.on("exit", () => resolve()));
    readLines(this.#shell.stdout, (group) => this.#told.get(group)?.());
    // A killed shell guards nothing, but the jobs run anyway.
    this.#shell.stdin.on("error", () => undefined);
    this.#shell.on("exit", () => this.#told.forEach((resolve) => resolve()));
  }

  /** Resolves when the shell will kill the group if the worker dies. */
  begun(group: number): Promise<void> {
    const isGuarding = this.#shell.exitCode === null && this.#shell.signalCode === null;
    if (!isGuarding) return Promise.resolve();
    this.#shell.stdin.write(`begun ${group}\n`);
    return new Promise((resolve) => this.#told.set(String(group), resolve));
  }

  gone(group: number): void {
    this.#told.delete(String(group));
    this.#shell.stdin.write(`gone ${group}\n`);
  }

  async end(): Promise<void> {
    this.#shell.stdin.end();
    await this.#ended;
  }
}
