import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../..");

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The files of TypeScript below a folder of the repository. */
export function filesOf(directory: string): SourceFile[] {
  // A clean clone has no empty folders.
  if (!existsSync(join(ROOT, directory))) return [];
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/node_modules|dist\//.test(name))
    .map((name) => join(directory, name))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** The files of ours that a file imports. */
export function importsOf({ path, text }: SourceFile): string[] {
  const imports = [
    ...text.matchAll(/^(?:import|export)\s([^;]*?)from "(\.[^"]+)";/gms),
    // Those that are loaded when they are needed.
    ...text.matchAll(/\b(import)\("(\.[^"]+)"\)/g),
  ];
  return imports.map(([, , target = ""]) => relative(ROOT, join(ROOT, dirname(path), target)));
}

/** The file without its imports of the types of answers. */
export function withoutAnswers({ path, text }: SourceFile): SourceFile {
  const types = /^(?:import|export) type [^;]*?from "[./]+\/(?:src\/)?http\/answers\/[^"]+";/gms;
  return { path, text: text.replace(types, "") };
}

/** The ways from a file back to itself. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
