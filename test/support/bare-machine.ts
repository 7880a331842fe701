import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { copyProgram } from "./copied-programs.ts";
import { makeRoot } from "./worker-images.ts";

/** Where commands of the machine work. */
const WORK = "/work";

/** Its first argument is the root directory, the others are the command. */
const ENTER = `
  mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" || exit 99
  root=$1; shift
  set -- /bin/sh -c 'cd ${WORK} && exec "$@"' sh "$@"
  exec chroot "$root" /bin/env -i PATH=/bin HOME=/root FOREBAY_ADMIN_KEY="$KEY" "$@"`;

/**
 * A machine that has only the executable, the libraries that it is linked with, and the shell of busybox: no
 * Node, no npm, no Bun, no clone. It is a file system of its own on the kernel and network of this one.
 */
export class BareMachine implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "forebay-bare-"));

  /** The executable becomes /bin/forebay. */
  constructor(executable: string) {
    makeRoot(this.#root);
    for (const name of ["dev", "proc", WORK]) mkdirSync(join(this.#root, name));
    copyProgram(this.#root, executable, "/bin/forebay");
    chmodSync(join(this.#root, "bin/forebay"), 0o755);
  }

  write(name: string, text: string): void {
    const path = this.pathOf(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Where a file of its working directory lies here. */
  pathOf(name: string): string {
    return join(this.#root, WORK, name);
  }

  /** Runs a command to its end. */
  run(...command: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const [program = "", ...args] = this.#entering(command);
    return spawnSync(program, args, { encoding: "utf8", timeout: 30_000 });
  }

  /** Starts a command. Its process is that of the child. */
  start(key: string, ...command: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
    const [program = "", ...args] = this.#entering(command);
    const env = { ...process.env, KEY: key };
    return spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true });
  }

  /** What is mounted goes with the namespace of the last process. */
  #entering(command: readonly string[]): string[] {
    return ["unshare", "--mount", "sh", "-c", ENTER, "sh", this.#root, ...command];
  }
}
