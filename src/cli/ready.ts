import { type Config, loadConfig } from "../config/config.ts";
import { systemClock } from "../host/system-clock.ts";
import type { Command, Flags } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";

const FLAGS = {
  host: {
    type: "string",
    value: "<address>",
    help: "the host of the server; default: FOREBAY_HOST, else 127.0.0.1",
  },
  port: { type: "string", value: "<port>", help: "the port of the server; default: FOREBAY_PORT, else 8000" },
  wait: { type: "string", value: "<seconds>", help: "how long to wait until it is ready; default: 0" },
} as const satisfies Flags;

/** How long the server may take to answer, ms. */
const PATIENCE = 3_000;

/** Between two calls, ms. */
const LOOK = 100;

/** A longer wait is a typing error: no server takes an hour to start. */
const LONGEST_WAIT = 3_600;

/** Checks whether the server on this machine takes requests. */
export const ready: Command = {
  about: `
Checks whether the server on this machine is ready. Exit code 0 if it is, 1 if
not. It uses the settings of forebay serve and needs no key: use it for health
checks of containers and service managers.
`,
  flags: FLAGS,
  examples: ["forebay ready", "forebay ready --port 8001 --wait 60"],
  async run(args) {
    const { values, positionals } = parseWords(args, FLAGS);
    const [surplus] = positionals;
    if (surplus !== undefined)
      throw new CommandFault(`unexpected argument ${JSON.stringify(surplus)}. See --help.`);
    const { host, port, wait } = values;
    const seconds = secondsOf(wait ?? "0");
    const url = `http://${reachable(settings({ host, port }))}/readyz`;
    const clock = systemClock();
    const end = clock.now() + seconds * 1_000;
    for (;;) {
      const obstacle = await obstacleAt(url);
      if (obstacle === undefined) {
        console.log(`ready: ${url}`);
        return;
      }
      if (clock.now() >= end) {
        console.error(`not ready: ${url}: ${obstacle}`);
        process.exitCode = 1;
        return;
      }
      await new Promise<void>((resolve) => void clock.after(LOOK, resolve));
    }
  },
};

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,4}$/.test(text) && seconds <= LONGEST_WAIT) return seconds;
  throw new CommandFault(
    `--wait: requires a whole number of seconds from 0 to ${LONGEST_WAIT}, got "${text}".`,
  );
}

function settings(given: Record<"host" | "port", string | undefined>): Config {
  const flags = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    return loadConfig(Object.fromEntries(flags), process.env);
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}

/** A server that listens on all addresses is called at loopback. */
function reachable({ host, port }: Config): string {
  if (host === "0.0.0.0") return `127.0.0.1:${port}`;
  if (host === "::") return `[::1]:${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Why the server does not take requests; undefined if it does. */
async function obstacleAt(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    return answer.status === 200
      ? undefined
      : `it answered ${answer.status} ${(await answer.text()).slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
