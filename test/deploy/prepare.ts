import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";

// What the suite `deploy` needs.
const missing = [
  ...(preparePostgres() ? [] : ["postgresql"]),
  ...["nginx", "haproxy"].filter((name) => !existsSync(`/usr/sbin/${name}`)),
  ...["caddy", "systemd-analyze"].filter((name) => Bun.which(name) === null),
];
if (missing.length > 0) {
  process.stderr.write(`not installed: ${missing.join(", ")} (Debian: as in .ci/run)\n`);
  process.exit(1);
}
