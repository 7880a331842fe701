import { type ChildProcess, spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";

// `npm run dev`: the server from its sources. It starts again when a file changes, and then bundles the
// console again, too. What stands behind `--` goes to `forebay serve`.
const ROOT = join(import.meta.dir, "..");
const WATCHED = ["src", "console/src", "sdk/src"];
/** Editors write a file in several steps, ms. */
const PAUSE = 100;

let server = start();
let isRestarting = false;
let timer: ReturnType<typeof setTimeout> | undefined;

for (const directory of WATCHED) {
  watch(join(ROOT, directory), { recursive: true }, (_, file) => {
    clearTimeout(timer);
    timer = setTimeout(() => restart(join(directory, file ?? "")), PAUSE);
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    endOf(server, () => process.exit());
    server.kill(signal);
  });
}

function start(): ChildProcess {
  const words = ["src/cli/main.ts", "serve", ...process.argv.slice(2)];
  return spawn(process.execPath, words, { cwd: ROOT, stdio: "inherit" });
}

/** Jobs are on the disk, so the server may stop at any time. */
function restart(file: string): void {
  if (isRestarting) return;
  isRestarting = true;
  console.log(`${file} changed: the server starts again`);
  endOf(server, () => {
    server = start();
    isRestarting = false;
  });
  server.kill("SIGTERM");
}

/** Also for a server that has already ended, because its code does not load. */
function endOf(child: ChildProcess, then: () => void): void {
  if (child.exitCode !== null || child.signalCode !== null) then();
  else child.once("exit", then);
}
