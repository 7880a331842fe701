import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Page } from "./page.ts";
import { ROOT, World } from "./world.ts";

/** How many blocks of a page were run or checked, and how many are only shown. */
export interface Count {
  run: number;
  checked: number;
  excerpts: number;
  leftOut: number;
}

/** How a program in this language is run, `{}` is its file. */
const RUNNERS: Readonly<Record<string, readonly [ending: string, command: string]>> = {
  js: ["mjs", "node {}"],
  mjs: ["mjs", "node {}"],
  ts: ["ts", `"${process.execPath}" {}`],
  python: ["py", "python {}"],
};
const SHELLS = new Set(["sh", "bash"]);
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  yaml: (text) => Bun.YAML.parse(text),
  toml: (text) => Bun.TOML.parse(text),
};
/** Held to the code by test/docs.test.ts. */
const DRAWN = new Set(["mermaid"]);

/** Runs the blocks of a page in one world, in order. */
export async function runPage(page: Page, gateway: string): Promise<Count> {
  const count: Count = { run: 0, checked: 0, excerpts: 0, leftOut: 0 };
  const needed = [...page.setup.matchAll(/^needs (\S+)$/gm)].map(([, program = ""]) => program);
  if (needed.some((program) => !isThere(program))) return { ...count, leftOut: page.blocks.length };
  const world = new World(gateway);
  try {
    if (page.setup !== "") await world.run("setup", page.setup);
    const last: Last = { run: "setup", background: "setup" };
    for (const [index, block] of page.blocks.entries()) {
      const number = String(index + 1);
      try {
        await runBlock(world, page, { block, number, last, count });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${page.path}:${block.line}: ${reason}`, { cause: error });
      }
    }
  } finally {
    await world.end();
  }
  return count;
}

/** The numbers of the blocks that ran last, whose output an `output` block shows. */
interface Last {
  run: string;
  background: string;
}

interface Turn {
  readonly block: Block;
  readonly number: string;
  readonly last: Last;
  readonly count: Count;
}

async function runBlock(world: World, page: Page, { block, number, last, count }: Turn): Promise<void> {
  const { marks, text, language } = block;
  if (marks.needs !== undefined && !isThere(marks.needs)) {
    count.leftOut++;
    return;
  }
  PARSERS[language]?.(text);
  if (marks.partOf !== undefined) {
    holdToFile(text, marks.partOf);
    count.checked++;
    return;
  }
  if (marks.isExcerpt) {
    count.excerpts++;
    return;
  }
  if (marks.file !== undefined) {
    holdToUse(page, marks.file);
    world.write(marks.file, text);
    count.checked++;
    return;
  }
  if (language === "output") {
    if (marks.isFromBackground) await world.printed(last.background, outputPattern(text));
    else holdToOutput(text, world.output(last.run));
    count.checked++;
    return;
  }
  if (PARSERS[language] !== undefined || DRAWN.has(language)) {
    count.checked++;
    return;
  }
  await runProgram(world, block, number);
  count.run++;
  last[marks.background === undefined ? "run" : "background"] = number;
}

/** Whether the program is installed; with CI=true it has to be. */
function isThere(program: string): boolean {
  if (Bun.which(program) !== null) return true;
  if (process.env["CI"] === "true") throw new Error(`${program} is not installed`);
  return false;
}

async function runProgram(world: World, { language, text, marks }: Block, number: string): Promise<void> {
  if (SHELLS.has(language)) {
    const placeholder = /<[a-z][\w .-]*>/.exec(text.replaceAll(/<<-?'?\w+'?/g, ""));
    if (placeholder !== null) throw new Error(`it cannot run: fill in ${placeholder[0]}`);
  }
  const script = SHELLS.has(language) ? text : programOf(world, language, text, number);
  if (marks.background !== undefined) {
    await world.run(number, script, "background");
    await world.printed(number, new RegExp(escaped(marks.background)));
  } else if (marks.exit === undefined) await world.run(number, script);
  else await world.run(number, script, "fail", marks.exit);
}

function programOf(world: World, language: string, text: string, number: string): string {
  const [ending, command] = RUNNERS[language] ?? [];
  if (ending === undefined || command === undefined) {
    const named = language === "" ? "a block without a language" : `a block in ${language}`;
    throw new Error(`${named} cannot run: name its language, or its file, or mark it as an excerpt`);
  }
  const file = `block-${number}.${ending}`;
  world.write(file, text);
  return `${command.replace("{}", file)}\n`;
}

/**
 * A file that no command and no other file of the page names has not been shown to work. Builds name the
 * directory of a Dockerfile.
 */
function holdToUse({ blocks }: Page, file: string): void {
  const users = blocks.filter(({ language, marks }) => SHELLS.has(language) || marks.file !== undefined);
  const uses = file === "Dockerfile" ? /\b(docker build|forebay deploy) / : new RegExp(escaped(file));
  const isUsed = users.some(({ text, marks }) => marks.file !== file && uses.test(text));
  if (!isUsed) throw new Error(`nothing on the page uses ${file}`);
}

function holdToFile(text: string, path: string): void {
  const file = join(ROOT, path);
  if (!existsSync(file)) throw new Error(`there is no file ${path}`);
  if (!readFileSync(file, "utf8").includes(text)) throw new Error(`${path} does not have these lines`);
}

function holdToOutput(expected: string, output: string): void {
  if (outputPattern(expected).test(output)) return;
  throw new Error(`the output is not what the page shows. It is:\n${output}`);
}

/**
 * `…` stands for anything within a line, and a line of `…` for any lines. Columns are as wide as their
 * values, so several spaces match any number of them.
 */
function outputPattern(expected: string): RegExp {
  const lines = expected.trimEnd().split("\n");
  const patterns = lines.map((line) =>
    line.trim() === "…" ? "[\\s\\S]*?" : line.split("…").map(escaped).join(".*").replaceAll(/ {2,}/g, " +"),
  );
  return new RegExp(`(^|\n)${patterns.join("\n")}(\n|$)`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
