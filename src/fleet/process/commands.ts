import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { withPath } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** Program and arguments, by the name that templates use. Never a line for a shell. */
export type Commands = ReadonlyMap<string, readonly string[]>;

/** The characters of an image name, so that `process/<name>` is one. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Loads the commands that the operator registered in a file. Throws one sentence that names all faults. */
export async function loadCommands(path: string): Promise<Commands> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw withPath(error, path);
  });
  const faults: string[] = [];
  const commands = Object.entries(parseObject(text, path));
  for (const [name, argv] of commands) faults.push(...faultsOf(name, argv));
  if (faults.length > 0) throw new OperatorFault(`${path}: ${faults.join("; ")}.`);
  // Everything but lists of strings was refused above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return new Map(commands as [string, readonly string[]][]);
}

function parseObject(text: string, path: string): object {
  const expected = 'expected a JSON object like {"name": ["program", "argument"]}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new OperatorFault(`${path}: ${expected}, which is not JSON.`, { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new OperatorFault(`${path}: ${expected}.`);
}

function faultsOf(name: string, argv: unknown): string[] {
  const command = `command ${JSON.stringify(name)}`;
  const faults: string[] = [];
  if (!NAME.test(name)) {
    faults.push(`${command}: a name has up to 128 letters, digits, dots, dashes and underscores`);
  }
  const program = isWords(argv) ? argv[0] : undefined;
  if (program === undefined || program === "") {
    faults.push(`${command}: expected an array of strings, the program first, got ${JSON.stringify(argv)}`);
  } else if (program.includes("/") && !isAbsolute(program)) {
    faults.push(
      `${command}: each start has its own directory, so the relative path ${program} does not work; ` +
        "use an absolute path, or a program on PATH",
    );
  }
  return faults;
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string" && !word.includes("\0"));
}
