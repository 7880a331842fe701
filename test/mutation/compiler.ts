import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";
import { Tree } from "./tree.ts";

/** Tells which mutants the types refuse: nobody could commit these. */
export class Compiler implements Disposable {
  readonly #tree = new Tree();

  constructor() {
    const config = { extends: "./tsconfig.json", compilerOptions: OPTIONS, include: ["src"] };
    this.#tree.write("tsconfig.mutants.json", JSON.stringify(config));
  }

  refuses({ file, start, end, text }: Mutant, source: string): boolean {
    this.#tree.write(file, source.slice(0, start) + text + source.slice(end));
    const program = join(process.cwd(), "node_modules/.bin/tsc");
    const { status } = spawnSync(program, ["-p", "tsconfig.mutants.json"], { cwd: this.#tree.directory });
    this.#tree.write(file, source);
    return status !== 0;
  }

  [Symbol.dispose](): void {
    this.#tree[Symbol.dispose]();
  }
}

/** A removed call may leave an import unused, which is no reason to refuse it. */
const OPTIONS = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  noEmit: true,
  incremental: true,
  tsBuildInfoFile: "./mutants.tsbuildinfo",
};
