import { prepareSuite } from "../support/prepare-suite.ts";
import { preparePython, prepareWheels } from "../support/python.ts";

// What the suite `snippets` needs.
prepareSuite(() => {
  prepareWheels();
  preparePython("openai");
});
