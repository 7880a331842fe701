import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Case, Scale, Workload } from "./workload.ts";

/** Marks the rows of the other build. */
export const OTHER = " (other build)";

/** Builds the worker library of another checkout, and answers its directory. */
export function prepareBuild(directory: string): string {
  const build = resolve(directory);
  for (const needed of ["src/cli/main.ts", "node_modules"]) {
    if (existsSync(join(build, needed))) continue;
    throw new Error(`${build} has no ${needed}. Give a checkout of Forebay after npm ci.`);
  }
  const { status, stdout, stderr } = spawnSync("npm", ["run", "build", "-w", "sdk"], {
    cwd: build,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm run build -w sdk failed in ${build}: ${stdout}${stderr}`);
  return build;
}

/** Each case of Forebay, and behind it the same case of the other build. Peers are left out. */
export async function pairedCases(workload: Workload, scale: Scale, other: string): Promise<Case[]> {
  const [ours, theirs] = [await workload.cases(scale), await workload.cases({ ...scale, build: other })];
  return ours.flatMap((one, index) => {
    const twin = theirs[index];
    return twin === undefined || one.isPeer === true ? [] : [one, marked(twin)];
  });
}

function marked(one: Case): Case {
  const measure = async () => {
    const rows = await one.measure();
    return rows.map(({ name, figures }) => ({ name: `${name}${OTHER}`, figures }));
  };
  return { ...one, name: `${one.name}${OTHER}`, measure };
}
