import { tmpdir } from "node:os";
import { join } from "node:path";

// Runs the tests of this directory in a Linux of their own, which has cgroup v2 whatever this machine has. It
// is a program (Debian: user-mode-linux), and its files are those of this machine.

const ROOT = join(import.meta.dir, "../..");

/** A machine that has not ended by then hangs, ms. */
const LIMIT = 10 * 60_000;

/** Variables of the first process stand among the words for the kernel. */
const words = [
  "mem=2048M",
  "rootfstype=hostfs",
  "rootflags=/",
  "rw",
  "quiet loglevel=1",
  "con=null",
  "con0=fd:0,fd:1",
  `init=${join(import.meta.dir, "init.sh")}`,
  `FOREBAY_ROOT=${ROOT}`,
  `FOREBAY_BUN=${process.execPath}`,
  `FOREBAY_PATH=${process.env["PATH"] ?? ""}`,
];

// Its memory is a file: /dev/shm can be small.
const env = { ...process.env, TMPDIR: tmpdir() };
const machine = Bun.spawn(["linux.uml", ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
const limit = setTimeout(() => machine.kill("SIGKILL"), LIMIT);
let output = "";
const decoder = new TextDecoder();
for await (const piece of machine.stdout) {
  output += decoder.decode(piece, { stream: true });
  process.stdout.write(piece);
}
clearTimeout(limit);
const [, code] = /^tests ended with (\d+)/m.exec(output) ?? [];
if (code === undefined) process.stdout.write("the machine ended without the tests\n");
process.exit(Number(code ?? 1));
