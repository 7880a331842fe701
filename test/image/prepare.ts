import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled, requireRoot } from "../support/prepare-suite.ts";

// What the suite `image` needs: an engine that it can start, and what base images are made of.
prepareSuite(() => {
  requireInstalled({
    "docker.io": existsSync("/usr/sbin/dockerd") && existsSync("/usr/bin/docker"),
    nginx: existsSync("/usr/sbin/nginx"),
    dpkg: existsSync("/usr/bin/dpkg-query"),
    "docker-compose": Bun.which("docker-compose") !== null,
    // The directory of Debian: an image is made of it.
    postgresql: preparePostgres() && existsSync("/usr/lib/postgresql"),
  });
  requireRoot("it starts a Docker Engine");
});
