import { prepareNodes } from "../support/node-versions.ts";
import { prepareSuite } from "../support/prepare-suite.ts";

// What the suite `sdk on Node` needs.
prepareSuite(prepareNodes);
