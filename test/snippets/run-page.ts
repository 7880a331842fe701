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
  const world = new World(gateway);
  try {
    if (page.setup !== "") await world.run("setup", page.setup);
    let lastRun = "setup";
    for (const [index, block] of page.blocks.entries()) {
      const number = String(index + 1);
      try {
        lastRun = await runBlock(world, page, { block, number, lastRun, count });
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

interface Turn {
  readonly block: Block;
  readonly number: string;
  /** The number of the block that ran last, whose output an `output` block shows. */
  readonly lastRun: string;
  readonly count: Count;
}

/** The answer is the number of the block that ran last. */
async function runBlock(world: World, page: Page, { block, number, lastRun, count }: Turn): Promise<string> {
  const { marks, text, language } = block;
  if (marks.needs !== undefined && Bun.which(marks.needs) === null) {
    if (process.env["CI"] === "true") throw new Error(`${marks.needs} is not installed`);
    count.leftOut++;
    return lastRun;
  }
  PARSERS[language]?.(text);
  if (marks.partOf !== undefined) {
    holdToFile(text, marks.partOf);
    count.checked++;
    return lastRun;
  }
  if (marks.isExcerpt) {
    count.excerpts++;
    return lastRun;
  }
  if (marks.file !== undefined) {
    holdToUse(page, marks.file);
    world.write(marks.file, text);
    count.checked++;
    return lastRun;
  }
  if (language === "output") {
    holdToOutput(text, world.output(lastRun));
    count.checked++;
    return lastRun;
  }
  if (PARSERS[language] !== undefined || DRAWN.has(language)) {
    count.checked++;
    return lastRun;
  }
  await runProgram(world, block, number);
  count.run++;
  return number;
}

async function runProgram(world: World, { language, text, marks }: Block, number: string): Promise<void> {
  if (SHELLS.has(language)) {
    const placeholder = /<[a-z][\w .-]*>/.exec(text.replaceAll(/<<-?'?\w+'?/g, ""));
    if (placeholder !== null) throw new Error(`it cannot run: fill in ${placeholder[0]}`);
  }
  const script = SHELLS.has(language) ? text : programOf(world, language, text, number);
  if (marks.background !== undefined) {
    await world.run(number, script, "background");
    await world.printed(number, marks.background);
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

/** A file that no command and no other file of the page names has not been shown to work. */
function holdToUse({ blocks }: Page, file: string): void {
  const users = blocks.filter(({ language, marks }) => SHELLS.has(language) || marks.file !== undefined);
  const isUsed = users.some(({ text, marks }) => marks.file !== file && text.includes(file));
  if (!isUsed) throw new Error(`nothing on the page uses ${file}`);
}

function holdToFile(text: string, path: string): void {
  const file = join(ROOT, path);
  if (!existsSync(file)) throw new Error(`there is no file ${path}`);
  if (!readFileSync(file, "utf8").includes(text)) throw new Error(`${path} does not have these lines`);
}

/** `…` stands for anything within a line, and a line of `…` for any lines. */
export function holdToOutput(expected: string, output: string): void {
  const pattern = expected
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "[\\s\\S]*?" : line.split("…").map(escaped).join(".*")))
    .join("\n");
  if (new RegExp(`(^|\n)${pattern}(\n|$)`).test(output)) return;
  throw new Error(`the output is not what the page shows. It is:\n${output}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
