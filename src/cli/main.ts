import { version } from "../../package.json" with { type: "json" };
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts";
import { generalHelp, helpOf } from "./help.ts";
import { Interrupted } from "./command-fault.ts";
import { didYouMean } from "./nearest.ts";
import { OWN_PROGRAMS } from "./own-programs.ts";
import { printMessage } from "./terminal/terminal-text.ts";

const words = process.argv.slice(2);
const asksForHelp = words[0] === "help";
const typed = asksForHelp ? words.slice(1) : words;
const name = typed.slice(0, COMMANDS.has(typed.slice(0, 2).join(" ")) ? 2 : 1).join(" ");
const listed = COMMANDS.get(name) ?? OWN_PROGRAMS.get(name);
if (listed === undefined) answerWithoutCommand();
const command = await listed.load();
const args = typed.slice(name.split(" ").length);
if (asksForHelp || ownWords(args).some((arg) => arg === "--help" || arg === "-h")) {
  console.log(helpOf(name, command));
  process.exit(0);
}
try {
  await command.run(args);
} catch (error) {
  if (error instanceof Interrupted) {
    printMessage(error.message);
    process.exit(130);
  }
  // Loaded only when needed, because it loads the client.
  const { faultSentence } = await import("./fault-sentence.ts");
  const { isJournal, journalPrefix } = await import("../host/json-log.ts");
  const priority = isJournal() ? journalPrefix("error") : "";
  printMessage(`${priority}forebay ${name}: ${await faultSentence(error, args, command.flags)}`);
  process.exit(2);
}

/** Arguments after `--` belong to another program. */
function ownWords(all: readonly string[]): readonly string[] {
  const dashes = all.indexOf("--");
  return dashes === -1 ? all : all.slice(0, dashes);
}

function answerWithoutCommand(): never {
  if (name === "--version") console.log(versionLine());
  else if (["--help", "-h"].includes(name) || (asksForHelp && name === "")) {
    console.log(generalHelp(COMMAND_GROUPS));
  } else if (name === "") printMessage(generalHelp(COMMAND_GROUPS));
  else {
    printMessage(`forebay: ${unknownSentence()}`);
    process.exit(2);
  }
  process.exit(0);
}

/** Names the commands that begin with the given word, if there are any. */
function unknownSentence(): string {
  const names = [...COMMANDS.keys()];
  const below = names.filter((each) => each.startsWith(`${name} `));
  const given = below.length === 0 || typed.length === 1 ? name : typed.slice(0, 2).join(" ");
  const near = given === name && below.length > 0 ? "" : didYouMean(given, names);
  if (below.length > 0)
    return `unknown command ${JSON.stringify(given)}. Use one of ${below.join(", ")}.${near}`;
  return `unknown command ${JSON.stringify(given)}.${near} forebay --help lists them.`;
}

/** Set by the build of the executable; otherwise not defined. */
declare const BUILT_COMMIT: string;

/** The version, and in an executable the commit that it was built from. */
function versionLine(): string {
  const commit = typeof BUILT_COMMIT === "undefined" ? "" : BUILT_COMMIT;
  return commit === "" ? version : `${version} (${commit})`;
}
