import type { Command, CommandGroup, Flag } from "./command.ts";

const WIDTH = 80;

/** The columns at which the help of a flag, and of a server setting, begins. */
const FLAG_COLUMN = 30;
const SETTING_COLUMN = 6;

/** All commands in their groups, in 80 columns. */
export function generalHelp(groups: readonly CommandGroup[]): string {
  const width = Math.max(
    ...groups.flatMap(({ commands }) => Object.keys(commands).map((name) => name.length)),
  );
  const parts = groups.map(({ title, commands }) => {
    const lines = Object.entries(commands).map(
      ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
    );
    return [`${title}:`, ...lines].join("\n");
  });
  const end = "forebay help <command> shows its help, forebay --version the version.";
  return ["usage: forebay <command> [flags]", ...parts, end].join("\n\n");
}

/** The help of one command, in 80 columns. */
export function helpOf(name: string, { words, about, flags, examples }: Command): string {
  const usage = ["usage: forebay", name, words, "[flags]"].filter(Boolean).join(" ");
  const all = Object.entries(flags).map(([flag, each]) => flagText(flag, each));
  const tried = ["Examples:", ...examples.map((example) => `  ${example}`)].join("\n");
  return [usage, about.trim(), all.join("\n"), tried].join("\n\n");
}

function flagText(name: string, { short, value, env, help }: Flag): string {
  const brief = short === undefined ? "" : `-${short}, `;
  if (env !== undefined) return [`  --${name}, ${env}`, ...indented(help, SETTING_COLUMN)].join("\n");
  const lines = indented(help, FLAG_COLUMN);
  const first = [`  ${brief}--${name}`, value].filter(Boolean).join(" ");
  if (first.length + 1 >= FLAG_COLUMN) return [first, ...lines].join("\n");
  return [first.padEnd(FLAG_COLUMN) + (lines[0] ?? "").trimStart(), ...lines.slice(1)].join("\n");
}

/** The words of a text, in lines indented to a column. */
function indented(text: string, column: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || column + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => " ".repeat(column) + line);
}
