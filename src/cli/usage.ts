import { CONFIG_ROWS } from "../config-rows.ts";

const GENERAL = `usage: forebay <command> [flags]

  serve       run the server
  dev         serve one handler, and reload it when it changes
  worker      run jobs as requests to a server, or as processes, without code
  worker env  admit a worker, and print the environment with which it connects
  logs        print what the workers of an endpoint print
  migrate-store  copy the data of a stopped server into a PostgreSQL

The queue of a server:
  run         submit a job
  runsync     submit a job, and wait for its end
  status      tell how a job is; with --wait once it has ended
  job         tell what happened to a job, and why it waits
  stream      print what a job puts out, as it comes
  cancel      cancel a job
  retry       put a failed job into the queue again
  health      count the jobs and workers of an endpoint
  statistics  tell what has happened on an endpoint
  purge       remove all jobs that wait
  requests    list the jobs

Who may use a server:
  accounts create   make an account
  accounts list     list the accounts
  keys create       make a key, and print it
  keys list         list the keys, and when each was last used
  keys rotate       give a key a new text; the one before it stays for a while
  keys revoke       end a key
  secrets rotate    encrypt the secrets at rest by a new key

forebay <command> --help tells the rest; forebay --version the version.
`;

const SERVER = `
  --server <address>          where the server is; else FOREBAY_URL, else
                              http://127.0.0.1:8000
  --key <key>                 the API key; else FOREBAY_KEY`;

const CLIENT = `${SERVER}
  --json                      the answer as JSON, for programs`;

const SUBMISSION = `
The input is one of
  '{"name": "world"}'         an object as JSON
  name=world size:=3          pairs: text behind =, JSON behind :=
  @input.json                 a file
  -                           the standard input
and {} when there is none.

  --webhook <address>         handed on with the job
  --ttl <ms>                  how long the job may take over queue and run
  --execution-timeout <ms>    how long an attempt may run
  --low-priority              the job does not make workers start${CLIENT}`;

const EXIT = "Exit code 1 when the job failed, was cancelled or timed out, 2 for other faults.";

/** How each command is used, in 80 columns. */
const USAGES: Readonly<Record<string, () => string>> = {
  "": () => GENERAL,
  serve: () => `usage: forebay serve [flags]

Runs the server until it is told to stop. A flag goes before the environment.

${Object.values(CONFIG_ROWS).map(settingText).join("\n")}
`,
  dev: () => `usage: forebay dev <handler file> [flags]

Serves one handler in a terminal, and reloads it when it is saved.

  --port <port>               where to listen; else 8000
  --input <input>             run one job and end: JSON, a file, or - (stdin)
  --replay <endpoint>/<job>   run a job of another server again and end${SERVER}
`,
  "worker env": () => `usage: forebay worker env --endpoint <id> [flags]

Admits a worker to the endpoint, and prints the environment with which it
connects.

  --endpoint <id>             the endpoint
  --many                      an environment for any number of workers${SERVER}
`,
  logs: () => `usage: forebay logs <endpoint> [flags]

Prints what the newest worker of the endpoint has printed that Forebay started,
or the last one that ended by itself. It takes a key with the scope manage.

  --worker <id>               what this worker has printed
  --job <id>                  what was printed while this job ran
  --tail <number>             only so many of the last lines
  -f, --follow                go on until the worker has ended${CLIENT}
`,
  "migrate-store": () => `usage: forebay migrate-store --from <directory> --to <database> [flags]

Copies all that a stopped server keeps into a PostgreSQL that has no data of
Forebay yet, counts both, and leaves the directory marked as moved. It is copied
as a whole or not at all. Exit code 2 when it could not be done.

  --from <directory>          the data directory; else FOREBAY_DATA, else
                              ./.forebay
  --to <database>             postgres://user:password@host:5432/database; else
                              FOREBAY_DATABASE_URL
  --secret-key <key>          what the secrets are encrypted with; else
                              FOREBAY_SECRET_KEY, else the key file
  --secret-key-previous <key> the one before, where the server has it; else
                              FOREBAY_SECRET_KEY_PREVIOUS
  --secret-key-file <file>    the key file; else FOREBAY_SECRET_KEY_FILE, else
                              <directory>.key
`,
  run: () => `usage: forebay run <endpoint> [input] [flags]

Submits a job and prints its id, without waiting for it. The result stays for 30
minutes after the end.
${SUBMISSION}
`,
  runsync: () => `usage: forebay runsync <endpoint> [input] [flags]

Submits a job, waits for its end and prints its record. Ctrl-C ends the wait;
the job goes on.
${EXIT}
${SUBMISSION}
`,
  status: () => `usage: forebay status <endpoint> <job> [flags]

Prints the record of a job. Ctrl-C ends a wait; the job goes on.
${EXIT}

  --wait                      once the job has ended${CLIENT}
`,
  job: () => `usage: forebay job <endpoint> <job> [flags]

Prints what happened to the job, a line for each moment: the time since it was
submitted, what, and who. Of a job that waits, its place in the queue and why.
${CLIENT}
`,
  stream: () => `usage: forebay stream <endpoint> <job> [flags]

Prints what the job puts out, as it comes, until it has ended: text as it is,
anything else as a line of JSON. Ctrl-C ends the reading; the job goes on.
${EXIT}

  --from <number>             leave out as many chunks${CLIENT}
`,
  cancel: () => `usage: forebay cancel <endpoint> <job> [flags]

Cancels a job and prints its state. One that has ended stays as it is.
${CLIENT}
`,
  retry: () => `usage: forebay retry <endpoint> <job> [flags]

Puts a job that failed or timed out into the queue again: same id, same input.
${CLIENT}
`,
  health: () => `usage: forebay health <endpoint> [flags]

Prints how many jobs and workers the endpoint has, by state.
${CLIENT}
`,
  statistics: () => `usage: forebay statistics <endpoint> [flags]

Tells how it is with an endpoint, and what has happened on it.

  --period <period>           15m, 1h, 7d or 30d; else 1h${CLIENT}
`,
  purge: () => `usage: forebay purge <endpoint> [flags]

Removes all jobs that wait. Those that run go on.
${CLIENT}
`,
  "accounts create": () => `usage: forebay accounts create <name> [flags]

Makes an account: it owns endpoints, templates and keys, and sees those of no
other. It takes a key with the scope admin.
${CLIENT}
`,
  "accounts list": () => `usage: forebay accounts list [flags]

Lists the accounts. It takes a key with the scope admin.
${CLIENT}
`,
  "keys create": () => `usage: forebay keys create <name> --scope <scope> [flags]

Makes a key and prints it: the server does not keep it.

  --scope <scope>             read, write, manage or admin, each with those
                              before it, or metrics. Can be said again
  --endpoint <id>             the only endpoint it opens. Can be said again
  --account <id>              whose key it is; else that of your own key${CLIENT}
`,
  "keys list": () => `usage: forebay keys list [flags]

Lists the keys of an account, and when each was last used.

  --account <id>              the account; else that of your own key${CLIENT}
`,
  "keys rotate": () => `usage: forebay keys rotate <key id> [flags]

Gives a key a new text and prints it.

  --overlap <time>            how long the one before is good as well, such as
                              60s, 5m or 1h; else 24h${CLIENT}
`,
  "keys revoke": () => `usage: forebay keys revoke <key id> [flags]

Ends a key. Calls that wait with it end as well; jobs go on.
${CLIENT}
`,
  "secrets rotate": () => `usage: forebay secrets rotate [flags]

Seals all secrets at rest by the newest key, while the server runs. A server
alone on its data that keeps its key in a file makes a new key first, and
removes the one before at the end. Elsewhere every server is given the new key
as FOREBAY_SECRET_KEY and the present one as FOREBAY_SECRET_KEY_PREVIOUS
before. Call it again if it was cut: it goes on.
${CLIENT}
`,
  requests: () => `usage: forebay requests <endpoint> [flags]

Lists the jobs, the newest first: those that wait or run, and those that have
ended and are still known.

  --status <state>            only those in this state, such as FAILED
  --limit <number>            how many, up to 1000; else 100
  --cursor <cursor>           go on where the list before ended${CLIENT}
`,
};

/** How the command is used; undefined for one that tells it itself. The name "" stands for all of them. */
export function usageOf(command: string): string | undefined {
  return Object.hasOwn(USAGES, command) ? USAGES[command]?.() : undefined;
}

function settingText({ flag, env, sentence }: (typeof CONFIG_ROWS)[keyof typeof CONFIG_ROWS]): string {
  return `  --${flag}, ${env}\n${wrapped(sentence, 74)
    .map((line) => `      ${line}`)
    .join("\n")}`;
}

/** The words of a text in lines of at most `width` characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
