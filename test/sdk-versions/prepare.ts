import { existsSync } from "node:fs";
import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";
import { SDK_VERSIONS } from "./versions.ts";

// What the suite `sdk versions` needs.
prepareSuite(() => {
  for (const { environment } of SDK_VERSIONS) preparePython(environment);
  requireInstalled({ postgresql: preparePostgres(), nginx: existsSync("/usr/sbin/nginx") });
});
