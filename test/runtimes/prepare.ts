import { NodeMissing, prepareNodes } from "../support/node-versions.ts";

// What the suite `sdk on Node` needs: fails with the reason where a version of Node is not to be had.
try {
  prepareNodes();
} catch (error) {
  if (!(error instanceof NodeMissing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
