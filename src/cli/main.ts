import { ForebayError } from "@forebay/worker/client";
import { version } from "../../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts";
import { generalHelp, helpOf } from "./help.ts";
import { Interrupted } from "./interrupted.ts";
import { nearEndpoints } from "./near-endpoints.ts";
import { didYouMean } from "./nearest.ts";
import { callFault } from "./queue/call-fault.ts";
import { tell } from "./terminal/tell.ts";

const words = process.argv.slice(2);
const asksForHelp = words[0] === "help";
const typed = asksForHelp ? words.slice(1) : words;
const name = typed.slice(0, COMMANDS.has(typed.slice(0, 2).join(" ")) ? 2 : 1).join(" ");
const command = COMMANDS.get(name);
if (command === undefined) answerWithoutCommand();
const args = typed.slice(name.split(" ").length);
if (asksForHelp || ownWords(args).some((arg) => arg === "--help" || arg === "-h")) {
  console.log(helpOf(name, command));
  process.exit(0);
}
try {
  await command.run(args);
} catch (error) {
  if (error instanceof Interrupted) {
    tell(error.message);
    process.exit(130);
  }
  tell(`forebay ${name}: ${await sentenceOf(error, command)}`);
  process.exit(2);
}

/** What stands behind `--` belongs to another program. */
function ownWords(all: readonly string[]): readonly string[] {
  const dashes = all.indexOf("--");
  return dashes === -1 ? all : all.slice(0, dashes);
}

function answerWithoutCommand(): never {
  if (name === "--version") console.log(version);
  else if (["--help", "-h"].includes(name) || (asksForHelp && name === "")) {
    console.log(generalHelp(COMMAND_GROUPS));
  } else if (name === "") tell(generalHelp(COMMAND_GROUPS));
  else {
    tell(`forebay: ${unknownSentence()}`);
    process.exit(2);
  }
  process.exit(0);
}

/** Of a word with which commands of two words begin, those are told. */
function unknownSentence(): string {
  const names = [...COMMANDS.keys()];
  const below = names.filter((each) => each.startsWith(`${name} `));
  const given = below.length === 0 || typed.length === 1 ? name : typed.slice(0, 2).join(" ");
  const near = given === name && below.length > 0 ? "" : didYouMean(given, names);
  if (below.length > 0)
    return `there is no command ${JSON.stringify(given)}, but ${below.join(", ")}.${near}`;
  return `there is no command ${JSON.stringify(given)}.${near} forebay --help lists them.`;
}

/** What to tell about a fault that the user can mend; throws any other one. */
async function sentenceOf(error: unknown, { flags }: Command): Promise<string> {
  if (error instanceof ForebayError) {
    const isUnknown = error.code === "ENDPOINT_NOT_FOUND";
    const near = isUnknown ? await nearEndpoints(args, flags) : undefined;
    return near === undefined ? callFault(error) : `${error.message} ${near}`;
  }
  if (error instanceof CommandFault) return error.message;
  throw error;
}
