import { prepareSuite } from "../support/prepare-suite.ts";
import { preparePython } from "../support/python.ts";

// What the suite `python` needs.
prepareSuite(() => {
  preparePython();
  preparePython("langchain");
});
