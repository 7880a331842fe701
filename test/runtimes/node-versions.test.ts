import { NODE_VERSIONS, nodeProgram } from "../support/node-versions.ts";
import { testPackageOn } from "../support/packed-runs.ts";

for (const version of NODE_VERSIONS) {
  testPackageOn(`Node ${version}`, () => nodeProgram(version), `${version} without Bun`);
}
