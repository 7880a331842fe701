import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A copy of the repository whose files can be changed. It goes at the end. */
export class Tree implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-mutants-"));

  constructor(texts: ReadonlyMap<string, string> = new Map()) {
    for (const file of trackedFiles()) {
      mkdirSync(dirname(join(this.directory, file)), { recursive: true });
      cpSync(file, join(this.directory, file));
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(this.directory, "node_modules"));
    const choice = join(this.directory, "test/mutation/choice.ts");
    for (const [file, text] of texts) {
      // On the first line, so that the numbers of the lines stay.
      this.write(file, `import { __mutant } from ${JSON.stringify(choice)};${text}`);
    }
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.directory, file), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function trackedFiles(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", args, { encoding: "utf8" }).split("\n");
  const gone = execFileSync("git", ["ls-files", "--deleted"], { encoding: "utf8" }).split("\n");
  return files.filter((file) => file !== "" && !gone.includes(file));
}
