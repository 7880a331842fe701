import { CommandFault } from "../command-fault.ts";
import { textOrFile } from "../text-or-file.ts";

type Variable = readonly [name: string, value: string];

/**
 * The variables of the flags: `NAME=value`, `NAME` alone with its value from this environment, or `@file`
 * with a line for each, as `docker run --env-file` reads it. Later ones win. Undefined without a flag. No
 * message repeats a value, because it can be a secret. Throws CommandFault.
 */
export async function givenEnvironment(
  flags: readonly string[] | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (flags === undefined) return undefined;
  const all: Variable[] = [];
  for (const flag of flags) all.push(...(flag.startsWith("@") ? await variablesIn(flag) : [named(flag)]));
  return Object.fromEntries(all);
}

async function variablesIn(file: string): Promise<Variable[]> {
  const lines = (await textOrFile(file)).split(/\r?\n/).map((line) => line.trimStart());
  return lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    return [named(line, `${file.slice(1)}, line ${index + 1}`)];
  });
}

function named(text: string, place = "--env"): Variable {
  const [, name = "", value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === "") throw new CommandFault(`${place}: expected NAME=value, or NAME alone.`);
  const found = value ?? process.env[name];
  if (found !== undefined) return [name, found];
  throw new CommandFault(`${place}: ${name} has no value, and is not set here. Write ${name}=<value>.`);
}
