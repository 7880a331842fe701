import { ForebayError } from "@forebay/worker/client";
import { version } from "../../package.json" with { type: "json" };
import { CommandFault } from "./command-fault.ts";
import { dev } from "./dev/dev.ts";
import { Interrupted } from "./interrupted.ts";
import { logs } from "./logs.ts";
import { MANAGE_COMMANDS } from "./manage-commands.ts";
import { migrateStore } from "./migrate-store.ts";
import { QUEUE_COMMANDS } from "./queue-commands.ts";
import { callFault } from "./queue/call-fault.ts";
import { serve } from "./serve.ts";
import { tell } from "./terminal/tell.ts";
import { usageOf } from "./usage.ts";
import { workerEnv } from "./worker-env.ts";
import { worker } from "./worker/worker.ts";

/** The commands, by name; a name can have two words. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  serve,
  dev,
  worker,
  "worker env": workerEnv,
  logs,
  "migrate-store": migrateStore,
  ...QUEUE_COMMANDS,
  ...MANAGE_COMMANDS,
};

const words = process.argv.slice(2);
const name = words.slice(0, Object.hasOwn(COMMANDS, words.slice(0, 2).join(" ")) ? 2 : 1).join(" ");
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command === undefined) answerWithoutCommand();
const args = words.slice(name.split(" ").length);
const usage = args.includes("--help") ? usageOf(name) : undefined;
if (usage !== undefined) {
  console.log(usage.trimEnd());
  process.exit(0);
}
try {
  await command(args);
} catch (error) {
  if (error instanceof Interrupted) {
    tell(error.message);
    process.exit(130);
  }
  tell(`forebay ${name}: ${sentenceOf(error)}`);
  process.exit(2);
}

function answerWithoutCommand(): never {
  const usage = (usageOf("") ?? "").trimEnd();
  if (name === "--version") console.log(version);
  else if (name === "--help" || name === "help") console.log(usage);
  else if (name === "") tell(usage);
  else {
    tell(`forebay: there is no command ${JSON.stringify(name)}.\n\n${usage}`);
    process.exit(2);
  }
  process.exit(0);
}

/** What to tell about a fault that the user can mend; throws any other one. */
function sentenceOf(error: unknown): string {
  if (error instanceof ForebayError) return callFault(error);
  if (error instanceof CommandFault) return error.message;
  throw error;
}
