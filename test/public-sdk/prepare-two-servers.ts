import { SDK_VERSIONS } from "../sdk-versions/versions.ts";
import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `public sdk on two servers` needs.
prepareSuite(() => {
  for (const { environment } of SDK_VERSIONS) preparePython(environment);
  requireInstalled({ postgresql: preparePostgres() });
});
