import { type Flags, SERVER_FLAGS } from "../command.ts";

/** The help of `forebay worker` above its flags. */
export const WORKER_ABOUT = `
Runs the jobs of an endpoint, in one of three ways:

  -- python3 handler.py  a worker of yours, which uses a worker SDK. It finds
                         what it needs to connect in its environment, and gets
                         signals. Its exit code is that of this command.
  --exec '<command>'     each job as a process of its own, without code. So does
                         -- <program> if no script in it uses a worker SDK.
  --http <url>           each job as a request to a server, without code.

Without --endpoint it takes the only endpoint that there is. With
FOREBAY_EXCHANGE_URL in the environment (forebay worker env) the worker connects
with that, and needs no --endpoint and no key.

Each job as a request (--http): what answers is the output. Each job as a
process (--exec): the input is on the standard input, and in the file
FOREBAY_INPUT_FILE. A JSON document or a text is the output. Server-sent events
and JSON lines are the chunks of the job's stream, and their list is its output.

SIGTERM: takes no more jobs, and ends when those that run have ended. A second
one stops these. Times are like 500ms, 60s or 5m.
`;

const TEXT = { type: "string" } as const;
const YES = { type: "boolean" } as const;

export const WORKER_FLAGS = {
  endpoint: { ...TEXT, value: "<id or name>", help: "the endpoint, by its id or its name" },
  create: { ...YES, help: "create the endpoint if it does not exist" },
  ...SERVER_FLAGS,
  concurrency: { ...TEXT, value: "<number>", help: "jobs that run at the same time; default: 1" },
  http: { ...TEXT, value: "<url>", help: "send each job as a request to this address" },
  template: {
    ...TEXT,
    value: "<json>",
    help:
      "the body, or @file; default: the input. It can contain " +
      "{{input.prompt}}, {{input}} and {{id}}; a string that is only one keeps its type",
  },
  method: { ...TEXT, value: "<name>", help: "POST, PUT or PATCH; default: POST" },
  header: { ...TEXT, multiple: true, value: "'A: b'", help: "a header of the request. Repeatable" },
  health: { ...TEXT, value: "<path>", help: "take jobs only while this address answers below 400" },
  "start-wait": { ...TEXT, value: "<time>", help: "how long to wait for it at the start; default: 0s" },
  sdk: { ...YES, help: "the program after -- uses a worker SDK, even if no script shows it" },
  exec: { ...TEXT, value: "'<command>'", help: "run each job as a process of this program" },
  "kill-grace": {
    ...TEXT,
    value: "<time>",
    help: "from SIGTERM to SIGKILL for a job that is stopped; default: 5s",
  },
  lines: { ...YES, help: "each line is a chunk" },
  "no-aggregate": { ...YES, help: "leave the output of a job with chunks empty" },
} as const satisfies Flags;
