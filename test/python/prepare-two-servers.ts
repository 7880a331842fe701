import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `python on two servers` needs.
prepareSuite(() => {
  preparePython();
  requireInstalled({ postgresql: preparePostgres() });
});
