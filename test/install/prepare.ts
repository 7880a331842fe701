import { prepareNodes, prepareNpm10 } from "../support/node-versions.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `install` needs.
prepareSuite(() => {
  prepareNodes();
  prepareNpm10();
  preparePython();
  requireInstalled({ git: Bun.which("git") !== null });
});
