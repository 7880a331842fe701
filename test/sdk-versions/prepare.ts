import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";
import { preparePython, PythonMissing } from "../support/python.ts";
import { SDK_VERSIONS } from "./versions.ts";

// What the suite `sdk versions` needs. Fails with the reason if a part is missing.
try {
  for (const { environment } of SDK_VERSIONS) preparePython(environment);
} catch (error) {
  if (!(error instanceof PythonMissing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const missing = [
  ...(preparePostgres() ? [] : ["postgresql"]),
  ...(existsSync("/usr/sbin/nginx") ? [] : ["nginx"]),
];
if (missing.length > 0) {
  process.stderr.write(`not installed: ${missing.join(", ")} (Debian: apt-get install)\n`);
  process.exit(1);
}
