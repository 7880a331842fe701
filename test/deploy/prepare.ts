import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";

// What the suite `deploy` needs.
const missing = [
  ...(preparePostgres() ? [] : ["postgresql"]),
  ...["nginx", "haproxy"].filter((name) => !existsSync(`/usr/sbin/${name}`)),
];
if (missing.length > 0) {
  process.stderr.write(`not installed: ${missing.join(", ")} (Debian: apt-get install)\n`);
  process.exit(1);
}
