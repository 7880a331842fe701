import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CommandFault } from "../command-fault.ts";

const HAS_SDK = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('runpod') else 3)";

/**
 * The Python of the active virtual environment, or else of PATH, which has the public SDK. Throws
 * CommandFault.
 */
export function findPython(cwd: string): string {
  const environment = process.env["VIRTUAL_ENV"] ?? "";
  const python = environment === "" ? "python3" : join(environment, "bin/python3");
  const { status, error, stderr } = spawnSync(python, ["-c", HAS_SDK], { cwd, encoding: "utf8" });
  if (error !== undefined) {
    throw new CommandFault(
      `${python} cannot be run. Install Python 3, or activate the environment that has it.`,
    );
  }
  if (status === 0) return python;
  const reason = status === 3 ? "" : ` (${stderr.trim().split("\n").at(-1)})`;
  throw new CommandFault(
    `${python} does not have the package runpod${reason}. Install it: ${python} -m pip install runpod.`,
  );
}
