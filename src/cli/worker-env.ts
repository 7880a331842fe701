import { type Command, type Flags, SERVER_FLAGS } from "./command.ts";
import { admitWorker } from "./worker/admission.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";
import { serverAccess } from "./server-call.ts";

const FLAGS = {
  endpoint: { type: "string", value: "<endpoint>", help: "the id or name of the endpoint" },
  many: { type: "boolean", help: "an environment for any number of workers" },
  ...SERVER_FLAGS,
} as const satisfies Flags;

/** A shared environment cannot contain this variable, because each worker needs its own value. */
const UNIQUE_ID = `
Workers of the public Python SDK send heartbeats only if RUNPOD_POD_ID is set.
Give each worker a value of its own (letters, digits, "-" and "_"):

  shell       env $(cat worker.env) RUNPOD_POD_ID="$(cat /proc/sys/kernel/random/uuid)" python worker.py
  Compose     entrypoint: ["sh", "-c", 'RUNPOD_POD_ID="$$(hostname)" exec python worker.py']
  Kubernetes  env: [{ name: RUNPOD_POD_ID, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]

Without it, Forebay may not notice that a busy worker died. Its job then ends by
the execution timeout. See docs/write-a-python-worker.md.
`;

/** Admits a worker to an endpoint of a running server, and prints its environment as lines NAME=value. */
export const workerEnv: Command = {
  about: `
Admits a worker to the endpoint, and prints the environment with which it
connects. With --many any number of workers share that environment, and stderr
shows how each gets a RUNPOD_POD_ID of its own.
`,
  flags: FLAGS,
  examples: [
    "forebay worker env --endpoint hello > worker.env",
    "forebay worker env --endpoint hello --many > worker.env",
  ],
  async run(args) {
    const { endpoint = "", many = false, ...server } = parseWords(args, FLAGS).values;
    if (endpoint === "") throw new CommandFault("say which endpoint: --endpoint <endpoint>.");
    const env = await admitWorker(serverAccess(server), endpoint, many);
    for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
    if (many) console.error(UNIQUE_ID);
  },
};
