import type { WorkerOrder } from "../provider.ts";

/** What a worker is told of the server's own environment by default: all else there may be a secret. */
const PASSED_ON = ["PATH", "HOME", "LANG"] as const;

/** The whole environment of a worker; later ones win: the operator's, the template's, the server's. */
export function processEnvironment(
  { template, environment }: WorkerOrder,
  operator: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = PASSED_ON,
): Record<string, string> {
  const passedOn = names.flatMap((name) => {
    const value = operator[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passedOn), ...template.env, ...environment };
}
