import { type Config, loadConfig } from "../config/config.ts";
import { errorCode } from "../domain/errors.ts";
import { isJournal, journalLog, jsonLog } from "../host/json-log.ts";
import { type Forebay, startForebay } from "../main.ts";
import type { Command } from "./command.ts";
import { exitOnFault } from "./process-end.ts";
import { CommandFault } from "./command-fault.ts";
import { CONFIG_FLAGS, configFlags } from "./config-flags.ts";
import { takenPort } from "./port-holder.ts";

/** Runs the server until a signal stops it. */
export const serve: Command = {
  about: "Runs the server until you stop it. Flags override the environment.",
  flags: CONFIG_FLAGS,
  examples: ["forebay serve --data /var/lib/forebay --port 8000", "forebay serve --no-demo"],
  async run(args) {
    const config = configOf(args);
    const write = (line: string): boolean => process.stderr.write(`${line}\n`);
    const log = isJournal() ? journalLog(write) : jsonLog(write);
    exitOnFault((message, error) => log.error(message, { error }));
    // From the start on: a signal before the server is ready would otherwise kill it at once.
    const stopped = stopSignal();
    const forebay = await start(config, () => startForebay(config, log));
    console.log(welcome(forebay, config));
    await stopped;
    await stop(forebay);
  },
};

function configOf(args: string[]): Config {
  return loadConfig(configFlags(args), process.env);
}

async function start(config: Config, begin: () => Promise<Forebay>): Promise<Forebay> {
  try {
    return await begin();
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") {
      throw new CommandFault(takenPort(config.port));
    }
    throw error;
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => resolve());
  });
}

async function stop(forebay: Forebay): Promise<never> {
  try {
    await forebay.stop();
  } catch (error) {
    console.error("forebay could not stop cleanly:", error);
    process.exit(1);
  }
  process.exit(0);
}

function welcome({ url, firstKey, demo }: Forebay, config: Config): string {
  const lines = [`forebay ready on ${url}`];
  if (firstKey !== undefined) lines.push(`  admin key (shown only now): ${firstKey}`);
  // A browser cannot open the address that stands for all addresses.
  const base = config.publicUrl === "" ? url.replace("//0.0.0.0:", "//127.0.0.1:") : config.publicUrl;
  lines.push(`  console: ${base}/console`);
  if (demo === undefined) return lines.join("\n");
  const key = firstKey ?? (config.adminKey === "" ? "$FOREBAY_KEY" : "$FOREBAY_ADMIN_KEY");
  lines.push("  try it:", `    curl -s ${base}/v2/${demo}/runsync -H "Authorization: Bearer ${key}" \\`);
  lines.push(`      -d '{"input": {"name": "world"}}'`);
  return lines.join("\n");
}
