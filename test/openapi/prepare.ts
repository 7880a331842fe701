import { preparePython, PythonMissing } from "../support/python.ts";

// What the suite `openapi` needs: fails with the reason where Python or Schemathesis is not to be had.
try {
  preparePython("schemathesis");
} catch (error) {
  if (!(error instanceof PythonMissing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
