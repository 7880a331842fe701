import { type Command, type Flags, SERVER_FLAGS } from "./command.ts";
import { admitWorker } from "./worker/admission.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";
import { serverAccess, type ServerAccess } from "./server-call.ts";
import { dockerLine, dockerNotes, imageEndpoint } from "./worker/docker-line.ts";

const FLAGS = {
  endpoint: { type: "string", value: "<endpoint>", help: "the id or name of the endpoint" },
  many: { type: "boolean", help: "an environment for any number of workers" },
  docker: { type: "boolean", help: "a docker run line that starts a worker on any machine" },
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

With --docker it prints a line for a shell instead, which starts a worker from
the template of the endpoint on any machine that has Docker and reaches the
server. With --many that line starts a worker on each machine where it runs.
`,
  flags: FLAGS,
  examples: [
    "forebay worker env --endpoint hello > worker.env",
    "forebay worker env --endpoint hello --many > worker.env",
    "forebay worker env --endpoint chat --docker",
  ],
  async run(args) {
    const { endpoint = "", many = false, docker = false, ...server } = parseWords(args, FLAGS).values;
    if (endpoint === "") throw new CommandFault("name the endpoint: --endpoint <endpoint>.");
    const access = serverAccess(server);
    if (docker) return printDockerLine(access, endpoint, many);
    const env = await admitWorker(access, endpoint, many);
    for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
    if (many) console.error(UNIQUE_ID);
  },
};

async function printDockerLine(access: ServerAccess, name: string, many: boolean): Promise<void> {
  // Before the worker is admitted: a refusal leaves no token.
  const endpoint = await imageEndpoint(access, name);
  const env = await admitWorker(access, endpoint.id, many);
  console.log(dockerLine(endpoint, env, many));
  console.error(dockerNotes(endpoint, env));
}
