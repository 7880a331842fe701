import { prepareSuite } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `openai clients` needs.
prepareSuite(() => {
  preparePython();
  preparePython("openai");
  preparePython("gateways");
});
