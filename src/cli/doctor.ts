import { readConfig } from "../config/config.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { CLIENT_FLAGS, type Command } from "./command.ts";
import { configFlags } from "./config-flags.ts";
import { green, printJson, red, type Style, yellow } from "./terminal/print.ts";
import { shown } from "./terminal/terminal-text.ts";

const STYLES: Readonly<Record<Finding["state"], Style>> = { ok: green, warn: yellow, fault: red };

const FLAGS = {
  ...CLIENT_FLAGS,
  gpus: { type: "boolean", help: "list the GPUs, and start a container for each of them" },
} as const;

/** Checks everything that a server needs, and says what to fix. */
export const doctor: Command = {
  about: `
Checks the configuration, data, keys, store, stored payloads, clock, providers,
port, limits and versions of a server with these settings, and a running server
if --server or FOREBAY_URL names it. For each it shows whether it is ok, and how
to fix it. It changes nothing, and prints no secret. Exit code 1 if there is a
fault. It accepts all settings of forebay serve.

With --gpus it lists the GPUs of this machine and of the engine. If
--docker-gpu-probe names an image, it also starts a container for each GPU of
the engine, and checks that it sees no other one.
`,
  flags: FLAGS,
  examples: [
    "forebay doctor --data /var/lib/forebay",
    "forebay doctor --gpus --docker-host unix:///var/run/docker.sock",
    "forebay doctor --server https://queue.example.com --json",
  ],
  async run(args) {
    const { server: said, key: saidKey, ...settings } = configFlags(args, FLAGS);
    const looksAtGpus = args.includes("--gpus");
    const isJson = args.includes("--json");
    const server = said ?? process.env["FOREBAY_URL"];
    const key = saidKey ?? process.env["FOREBAY_KEY"] ?? "";
    const patient = {
      ...readConfig(settings, process.env),
      env: process.env,
      looksAtGpus,
      server: server === undefined ? undefined : { server, key },
    };
    const findings: Finding[] = [];
    for await (const finding of examine(patient)) {
      findings.push(finding);
      if (!isJson) console.log(lineOf(finding));
    }
    const isFaulty = findings.some(({ state }) => state === "fault");
    if (isJson) printJson({ isFaulty, findings });
    if (isFaulty) process.exitCode = 1;
  },
};

function lineOf({ part, state, says, mend }: Finding): string {
  const advice = mend === undefined ? "" : ` — ${mend}`;
  return `${STYLES[state](state.padEnd(5))}  ${part.padEnd(13)}  ${shown(`${says}${advice}`)}`;
}
