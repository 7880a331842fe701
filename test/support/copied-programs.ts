import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies a program with the libraries that it needs, each to where it lies here. */
export function copyProgram(root: string, program: string, as = program): void {
  copyInto(root, program, as);
  for (const library of libraries(program)) copyInto(root, library);
}

export function copyInto(root: string, path: string, as = path): void {
  const target = join(root, as);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(path, target, { recursive: true, dereference: true });
}

/** The libraries that programs or libraries need; none for one that is linked as a whole. */
export function libraries(...programs: string[]): string[] {
  const { stdout } = spawnSync("ldd", programs, { encoding: "utf8", maxBuffer: 1e9 });
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}
