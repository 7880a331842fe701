import { parseArgs } from "node:util";
import { CONFIG_ROWS } from "../config-rows.ts";
import { type Config, loadConfig } from "../config.ts";
import { errorCode } from "../domain/errors.ts";
import { jsonLog } from "../json-log.ts";
import { type Forebay, startForebay } from "../main.ts";
import { CommandFault } from "./command-fault.ts";

/** Runs the server until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  const config = configOf(args);
  const log = jsonLog((line) => process.stderr.write(`${line}\n`));
  // From the first moment on: one that came before the server was ready would otherwise end it on the spot.
  const toldToStop = stopSignal();
  const forebay = await start(config, () => startForebay(config, log));
  console.log(welcome(forebay, config));
  await toldToStop;
  await stop(forebay);
}

function configOf(args: string[]): Config {
  try {
    const options = Object.fromEntries(
      Object.values(CONFIG_ROWS).map((row) => [row.flag, { type: "string" as const }]),
    );
    const { values } = parseArgs({ args: args.map(spelledOut), options, strict: true });
    const flags = Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return loadConfig(Object.fromEntries(flags), process.env);
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}

/** `--no-demo` is short for `--demo=false`. */
function spelledOut(arg: string): string {
  const row = Object.values(CONFIG_ROWS).find(({ flag }) => arg === `--no-${flag}`);
  return typeof row?.default === "boolean" ? `--${row.flag}=false` : arg;
}

async function start(config: Config, begin: () => Promise<Forebay>): Promise<Forebay> {
  try {
    return await begin();
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") {
      throw new CommandFault(
        `port ${config.port} of ${config.host} is taken. Choose another one with --port.`,
      );
    }
    throw new CommandFault(error instanceof Error ? error.message : String(error));
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
    console.error("forebay could not stop in order:", error);
    process.exit(1);
  }
  process.exit(0);
}

function welcome({ url, firstKey, demo }: Forebay, config: Config): string {
  const lines = [`forebay ready on ${url}`];
  if (firstKey !== undefined) lines.push(`  admin key (shown only now): ${firstKey}`);
  if (demo === undefined) return lines.join("\n");
  const key = firstKey ?? (config.adminKey === "" ? "$FOREBAY_KEY" : "$FOREBAY_ADMIN_KEY");
  const base = config.publicUrl === "" ? url : config.publicUrl;
  lines.push(`  console: ${base}/console`);
  lines.push("  try it:", `    curl -s ${base}/v2/${demo}/runsync -H "Authorization: Bearer ${key}" \\`);
  lines.push(`      -H "Content-Type: application/json" -d '{"input": {"name": "world"}}'`);
  return lines.join("\n");
}
