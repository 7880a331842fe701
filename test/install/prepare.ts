import { spawnSync } from "node:child_process";
import { NodeMissing, prepareNodes, prepareNpm10 } from "../support/node-versions.ts";
import { preparePython, PythonMissing } from "../support/python.ts";

// What the suite `install` needs: fails with the reason where a part is missing.
try {
  prepareNodes();
  prepareNpm10();
  preparePython();
  const git = spawnSync("git", ["--version"]);
  if (git.status !== 0) throw new NodeMissing("git is not installed.");
} catch (error) {
  if (!(error instanceof NodeMissing) && !(error instanceof PythonMissing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
