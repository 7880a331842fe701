import { spawnSync } from "node:child_process";
import packageRecord from "../../package.json" with { type: "json" };
import { isExecutable } from "../host/own-program.ts";
import { fault, type Finding, ok, warn } from "./finding.ts";

const PART = "versions";

/** The oldest version that can run the launcher. */
const OLDEST_NODE = 20;

/**
 * Checks the versions of Forebay, its runtime, and the programs that install and start it. The executable
 * needs none of these.
 */
export function checkVersions(): Finding[] {
  const { version, dependencies } = packageRecord;
  const runtime = process.versions.bun ?? "none";
  const said = `Forebay ${version} on Bun ${runtime}`;
  const found =
    runtime === dependencies.bun
      ? [ok(PART, said)]
      : [
          warn(
            PART,
            `${said}, but it is tested with ${dependencies.bun}`,
            "Run npm ci, and start it with bin/forebay.mjs.",
          ),
        ];
  if (isExecutable) return found;
  const node = versionOf("node");
  const npm = versionOf("npm");
  if (node !== undefined && Number.parseInt(node, 10) < OLDEST_NODE) {
    found.push(fault(PART, `Node.js ${node} is too old`, `Install ${OLDEST_NODE} or newer.`));
  } else found.push(ok(PART, `Node.js ${node ?? "is not there"}, npm ${npm ?? "is not there"}`));
  return found;
}

/** Undefined if the program is not installed. */
function versionOf(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim().replace(/^v/, "") : undefined;
}
