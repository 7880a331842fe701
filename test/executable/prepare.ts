import { existsSync } from "node:fs";
import { ARM64_LIBRARIES, QEMU } from "../support/executables.ts";
import { preparePython, PythonMissing } from "../support/python.ts";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `executable` needs: a machine within this one, as root, and an emulator of the other CPU.
const missing = [
  ...(hasBusybox() ? [] : ["busybox-static"]),
  ...(existsSync(QEMU) ? [] : ["qemu-user-static"]),
  ...(existsSync(ARM64_LIBRARIES) ? [] : ["libc6-arm64-cross"]),
];
if (missing.length > 0) fail(`not installed: ${missing.join(", ")} (Debian: apt-get install)`);
if (process.getuid?.() !== 0) fail("only root can change the root directory of a process");
try {
  preparePython();
} catch (error) {
  if (!(error instanceof PythonMissing)) throw error;
  fail(error.message);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
