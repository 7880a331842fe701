import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";

// What the suite `image` needs: an engine that it can start, as root, and what base images are made of.
const programs = ["/usr/sbin/dockerd", "/usr/bin/docker", "/usr/sbin/nginx", "/usr/bin/dpkg-query"];
const missing = [
  ...programs.filter((path) => !existsSync(path)),
  ...(Bun.which("docker-compose") === null ? ["docker-compose"] : []),
  // The directory of Debian: an image is made of it.
  ...(preparePostgres() && existsSync("/usr/lib/postgresql") ? [] : ["postgresql"]),
];
if (missing.length > 0 || process.getuid?.() !== 0) {
  const needs = missing.length > 0 ? `not installed: ${missing.join(", ")}` : "only root can start an engine";
  process.stderr.write(`${needs} (Debian: as in .ci/run)\n`);
  process.exit(1);
}
