import { existsSync } from "node:fs";
import { preparePython, PythonMissing } from "../support/python.ts";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `docker` needs: an engine that it can start, as root, and what images are made of.
const missing = [
  ...(existsSync("/usr/sbin/dockerd") ? [] : ["docker.io"]),
  ...(hasBusybox() ? [] : ["busybox-static"]),
];
if (missing.length > 0 || process.getuid?.() !== 0) {
  const reason =
    missing.length > 0
      ? `not installed: ${missing.join(", ")} (Debian: apt-get install)`
      : "only root can start a Docker Engine";
  fail(reason);
}
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
