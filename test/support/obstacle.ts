import { spawn } from "node:child_process";
import type { Suite } from "./suites.ts";

/** Why the suite cannot run here; undefined when it can. */
export async function obstacleTo({ needs = [] }: Suite): Promise<string | undefined> {
  const [program, ...rest] = needs;
  if (program === undefined) return undefined;
  const child = spawn(program, rest, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  const status = await new Promise<number | string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code ?? "a signal"));
  });
  return status === 0 ? undefined : `${needs.join(" ")} failed with ${status}\n${said}`.trimEnd();
}
