import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";

// What the suite `deploy` needs.
prepareSuite(() =>
  requireInstalled({
    postgresql: preparePostgres(),
    nginx: existsSync("/usr/sbin/nginx"),
    haproxy: existsSync("/usr/sbin/haproxy"),
    caddy: Bun.which("caddy") !== null,
    systemd: Bun.which("systemd-analyze") !== null,
  }),
);
