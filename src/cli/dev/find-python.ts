import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { CommandFault } from "../command-fault.ts";

const HAS_SDK = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('runpod') else 3)";

/** Names of a virtual environment beside a handler. */
const BESIDE = [".venv", "venv"];

/**
 * The Python that runs a handler in this directory: that of a virtual environment beside it or in the working
 * directory, of the active one, or of PATH. Throws CommandFault if it cannot be run, or lacks the package
 * runpod.
 */
export function findPython(directory: string): string {
  const environment = environmentFor(directory);
  const python = environment === undefined ? "python3" : join(environment, "bin/python3");
  const { status, error, stderr } = spawnSync(python, ["-c", HAS_SDK], { cwd: directory, encoding: "utf8" });
  if (error !== undefined) throw new CommandFault(cannotRun(environment));
  if (status === 0) return python;
  const reason = status === 3 ? "" : ` (${stderr.trim().split("\n").at(-1)})`;
  throw new CommandFault(
    `${shownPath(python)} does not have the package runpod${reason}. ` +
      `Install it: ${installLine(directory, environment)}`,
  );
}

function environmentFor(directory: string): string | undefined {
  const active = process.env["VIRTUAL_ENV"] ?? "";
  const places = [directory, process.cwd()].flatMap((place) => BESIDE.map((name) => join(place, name)));
  const beside = places.find((path) => existsSync(join(path, "bin/python3")));
  return beside ?? (active === "" ? undefined : active);
}

function cannotRun(environment: string | undefined): string {
  if (environment === undefined) {
    return "python3 is not installed. Install Python 3 (Debian: sudo apt-get install python3 python3-venv).";
  }
  const path = shownPath(environment);
  return `${path}/bin/python3 cannot be run. Create the environment again: python3 -m venv --clear ${path}`;
}

/**
 * The Python of an operating system accepts no packages (PEP 668), so they are installed into an environment.
 */
function installLine(directory: string, environment: string | undefined): string {
  if (environment === undefined) {
    const made = shownPath(join(directory, ".venv"));
    return `python3 -m venv ${made} && ${made}/bin/pip install runpod`;
  }
  const bin = shownPath(join(environment, "bin"));
  if (existsSync(join(environment, "bin/pip"))) return `${bin}/pip install runpod`;
  return `${bin}/python3 -m ensurepip && ${bin}/python3 -m pip install runpod`;
}

/** The path as a user here would type it. */
function shownPath(path: string): string {
  if (!path.includes("/")) return path;
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
