import { appendFileSync } from "node:fs";

// Which mutant is active: each file of the instrumented copy asks here. With MUTANTS_REACHED it notes instead
// which mutants each test comes to.

declare global {
  /** The number of the test that runs, from 1; none is known in other threads and processes. */
  var currentTest: number | undefined;
  var noteReached: (() => void) | undefined;
}

const active = Number(process.env["MUTANT"] ?? 0);
const into = process.env["MUTANTS_REACHED"];
const noted = new Set<string>();
let lines = "";

export function __mutant(id: number): boolean {
  if (into !== undefined) note(id, into);
  return id === active;
}

function note(id: number, file: string): void {
  const line = `${globalThis.currentTest ?? 0} ${id}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  lines += line;
  // Another process may be killed at any time.
  if (globalThis.currentTest === undefined) write(file);
  else globalThis.noteReached = () => write(file);
}

function write(file: string): void {
  appendFileSync(file, lines);
  lines = "";
}
