import { PythonMissing, preparePython, prepareWheels } from "../support/python.ts";

// What the suite `snippets` needs: fails with the reason where Python or a package is not to be had.
try {
  prepareWheels();
  preparePython("openai");
} catch (error) {
  if (!(error instanceof PythonMissing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
