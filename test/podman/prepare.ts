import { existsSync } from "node:fs";
import { hasBusybox } from "../support/worker-images.ts";

// What the suite `podman` needs.
const missing = [
  ...["/usr/bin/podman", "/usr/sbin/runc"].filter((path) => !existsSync(path)),
  ...(hasBusybox() ? [] : ["busybox-static"]),
];
if (missing.length > 0 || process.getuid?.() !== 0) {
  process.stderr.write(`needs root, and podman, runc and busybox-static; missing: ${missing.join(", ")}\n`);
  process.exit(1);
}
