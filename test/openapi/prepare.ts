import { prepareSuite } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `openapi` needs.
prepareSuite(() => preparePython("schemathesis"));
