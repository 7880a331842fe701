import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Ended, endOf, succeeded } from "./run-program.ts";

const ROOT = join(import.meta.dir, "../..");

/** The repository as a stranger gets it: the files of the working tree, committed, and nothing else. */
export class FreshClone {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async at(directory: string): Promise<FreshClone> {
    const { stdout } = await succeeded(["git", "ls-files", "-zco", "--exclude-standard"], { cwd: ROOT });
    for (const name of new Set(stdout.split("\0"))) {
      // A file that was deleted, and not yet from the index.
      if (name === "" || !existsSync(join(ROOT, name))) continue;
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      copyFileSync(join(ROOT, name), join(directory, name));
    }
    const clone = new FreshClone(directory);
    await clone.run(["git", "init", "--quiet"]);
    await clone.commit("All");
    return clone;
  }

  async commit(subject: string): Promise<void> {
    await this.run(["git", "add", "--all"]);
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
    await this.run(["git", ...author, "commit", "--quiet", "--message", subject]);
  }

  /** Runs a program that has to succeed; the answer is what it printed. */
  async run(words: readonly string[]): Promise<string> {
    return (await succeeded(words, { cwd: this.directory })).stdout;
  }

  /** Runs a program that may fail. */
  try(words: readonly string[]): Promise<Ended> {
    return endOf(words, { cwd: this.directory });
  }

  /** What `git status` tells of changes. */
  changes(): Promise<string> {
    return this.run(["git", "status", "--porcelain"]);
  }

  /** Packs both packages, each with one command. */
  async pack(into: string): Promise<{ readonly forebay: string; readonly worker: string }> {
    mkdirSync(into);
    await this.run(["npm", "pack", "--silent", "--pack-destination", into]);
    await this.run(["npm", "pack", "--silent", "-w", "sdk", "--pack-destination", into]);
    const [forebay = "", worker = ""] = readdirSync(into).toSorted();
    return { forebay: join(into, forebay), worker: join(into, worker) };
  }
}
