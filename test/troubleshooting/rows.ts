import { cellOf, faultsOf, type ShownTests } from "../support/shown-tests.ts";

/** Something that goes wrong for people who are new here, and tests of the symptom and its cure. */
interface Row {
  readonly symptom: string;
  readonly cause: string;
  readonly action: string;
  readonly shown: ShownTests;
}

const CALLS = "troubleshooting/calls.test.ts";
const SERVER = "troubleshooting/server.test.ts";

const CALL_ROWS: readonly Row[] = [
  {
    symptom: "401 `KEY_MISSING`",
    cause: "The request has no `Authorization` header, or a proxy removes it.",
    action: "Send `Authorization: Bearer <key>`. Commands read the key from `FOREBAY_KEY`.",
    shown: [[CALLS, "without a key gets 401 KEY_MISSING; with the header it works"]],
  },
  {
    symptom: "401 `KEY_UNKNOWN`",
    cause: "The key belongs to another server or another data directory, or it was revoked.",
    action:
      "Use the key that the first start printed, or create one: `forebay keys create app --scope write`. " +
      "If the admin key is lost: `forebay keys reset-admin`.",
    shown: [[CALLS, "with a key of another server gets 401 KEY_UNKNOWN; with a key made here it works"]],
  },
  {
    symptom: "401 `KEY_NOT_ALLOWED`",
    cause: "The key is valid, but its scope is too small, or it belongs to other endpoints.",
    action: "Create a key with the scope that the call needs: `read`, `write`, `manage` or `admin`.",
    shown: [[CALLS, "with a key of too small a scope gets 401 KEY_NOT_ALLOWED; with a larger one it works"]],
  },
  {
    symptom: "404 `ROUTE_NOT_FOUND`",
    cause: "The base URL is wrong: `/v2` is missing, or is there twice.",
    action:
      "Use `http://HOST:8000/v2/ENDPOINT/run` for your own calls, and `http://HOST:8000/sdk/v2` as " +
      "base URL of the public client SDKs ([move here](migrate.md)).",
    shown: [[CALLS, "with a wrong base URL gets 404 ROUTE_NOT_FOUND; with /v2 or /sdk/v2 it works"]],
  },
  {
    symptom: "404 `ENDPOINT_NOT_FOUND`",
    cause: "The name or id is misspelled, or the endpoint belongs to another account than the key.",
    action: "Run `forebay endpoints list` with the same key, and use a name or id from it.",
    shown: [[CALLS, "to no endpoint gets 404 ENDPOINT_NOT_FOUND; the list has the one that works"]],
  },
  {
    symptom: "400 `input is missing`",
    cause: "The parameters stand at the top of the body.",
    action: 'Put them into `input`: `{"input": {"name": "Ada"}}`.',
    shown: [[CALLS, "with parameters outside of input gets 400; within input they reach the worker"]],
  },
  {
    symptom: "413 `BODY_TOO_LARGE`",
    cause: "`run` takes 10 MB, `runsync` 20 MB.",
    action: "Upload the file to an object store and send its address. Up to 20 MB, use `runsync`.",
    shown: [[CALLS, "of 11 MB to run gets 413; runsync takes it, and run takes an address instead"]],
  },
  {
    symptom: "429 `RATE_LIMITED`",
    cause: "The endpoint got more requests in 10 s than its limit.",
    action:
      "Wait for the seconds in `Retry-After`; the SDKs do. Or raise the limit in `rateLimits` " +
      "of the endpoint ([rate limits](api.md#rate-limits)).",
    shown: [
      ["http/rate-limits.test.ts", "refused requests do not count: after Retry-After the call succeeds"],
      ["http/rate-limits.test.ts", "hold at once as well"],
    ],
  },
  {
    symptom: "400, and the message names `FOREBAY_WEBHOOK_ALLOW`",
    cause: "The webhook goes to a private address. Forebay calls public addresses only.",
    action:
      "Allow the receiver's network: `FOREBAY_WEBHOOK_ALLOW=10.1.0.0/16`, then restart the server " +
      "([webhooks](webhooks.md#receivers-inside)).",
    shown: [[CALLS, "with a webhook to a private address gets 400; FOREBAY_WEBHOOK_ALLOW permits it"]],
  },
  {
    symptom: "404 `JOB_NOT_FOUND` for a job that ran",
    cause: "Results are kept for 30 minutes after `run`, and for 1 minute after `runsync`.",
    action:
      "Read results sooner, use a [webhook](webhooks.md), or keep results longer: " +
      "set `runRetentionMs` and `runsyncRetentionMs` of the endpoint.",
    shown: [[CALLS, "a result is gone 30 minutes after its job; with a longer runRetentionMs it is there"]],
  },
];

const WORKER_ROWS: readonly Row[] = [
  {
    symptom: "A job stays `IN_QUEUE`",
    cause: "No worker is connected, or all are busy.",
    action:
      "`forebay job ENDPOINT JOB` says why the job waits. Start a worker: `forebay worker env` prints its " +
      "environment, or let Forebay start workers ([Docker](docker.md)).",
    shown: [[CALLS, "a job without a worker stays IN_QUEUE and says why; with a worker it is COMPLETED"]],
  },
  {
    symptom: "A worker in a container never connects",
    cause: "It calls 127.0.0.1, which is the container itself.",
    action:
      "Set `FOREBAY_PUBLIC_URL` to an address that the container reaches, such as " +
      "`http://host.docker.internal:8000`, and start the server with `--host 0.0.0.0`.",
    shown: [[SERVER, "a worker is told to call 127.0.0.1; with FOREBAY_PUBLIC_URL it is told that address"]],
  },
  {
    symptom: "`does not have the package runpod`",
    cause: "`forebay dev` found a Python without the SDK.",
    action:
      "Run the line that the message shows. It creates a `.venv` beside the handler, " +
      "which `forebay dev` uses.",
    shown: [
      ["dev/python-found.test.ts", "without runpod gets the line that installs it"],
      [
        "dev/python-found.test.ts",
        "is that next to it, then that of the directory, the active one, and that of PATH",
      ],
    ],
  },
  {
    symptom: "pip: `externally-managed-environment`",
    cause: "Debian and Ubuntu do not let pip change the Python of the system.",
    action: "Use a virtual environment: `python3 -m venv .venv && .venv/bin/pip install runpod`.",
    shown: [[SERVER, "pip refuses an externally managed Python; that of a venv installs"]],
  },
  {
    symptom: "The console warns about workers without heartbeats",
    cause: "Workers share a token and have no `RUNPOD_POD_ID`, so the SDK sends no heartbeats.",
    action:
      "Give each worker a value of its own " +
      "([how](write-a-python-worker.md#many-workers-with-one-environment)).",
    shown: [
      [
        "cli/doctor.test.ts",
        "workers that send no heartbeats are a warning for each endpoint, with what to do",
      ],
      ["python/many-workers.test.ts", "in a shell"],
    ],
  },
  {
    symptom: "`EACCES` for `/var/run/docker.sock`",
    cause: "The user of the server may not use the Docker socket.",
    action:
      "Add the user to the group `docker` and restart the server. `forebay doctor` shows whether it works. " +
      "That user then controls the machine.",
    shown: [[SERVER, "the Docker socket of another user; of one's own it works"]],
  },
  {
    symptom: "The registry `refuses this image`",
    cause: "The image is private, and the template names no registry login, or a wrong one.",
    action:
      "Create a [registry login](templates.md#private-images) and name it in the template. " +
      "Use a token that can read.",
    shown: [
      [
        "docker/private-images.test.ts",
        "with the login run, without it and with a wrong one do not, and the reason says so",
      ],
    ],
  },
];

const SERVER_ROWS: readonly Row[] = [
  {
    symptom: "`Port 8000 is in use`",
    cause: "Another program, often another Forebay, listens there. The message names it where it can.",
    action: "Stop that program, or choose another port: `forebay serve --port 8001`.",
    shown: [[SERVER, "a taken port stops the start with its number; another --port works"]],
  },
  {
    symptom: "A command says that the server is not reached",
    cause: "The server does not run, or runs on another address.",
    action: "Start it, or name its address: `--server` or `FOREBAY_URL`.",
    shown: [[SERVER, "UNREACHABLE: nothing listens there; once the server runs the command works"]],
  },
  {
    symptom: "503 `STORAGE_FULL`",
    cause: "The disk of the data directory is full.",
    action:
      "Make room outside of the data directory, or enlarge the disk. Work goes on " +
      "without a restart; nothing is lost.",
    shown: [
      [
        "e2e/full-disk.test.ts",
        "no room for %s: STORAGE_FULL, no acknowledged job is lost, and on when there is room",
      ],
    ],
  },
  {
    symptom: "The start says that the key file `is missing`",
    cause: "The encryption key beside the data, `.forebay.key`, was not copied or was deleted.",
    action:
      "Put the file back from your backup, or name it with `--secret-key-file`. Without it nobody can " +
      "read the secrets in the data.",
    shown: [
      ["e2e/lost-data.test.ts", "when the key file is gone, is refused, and no other key is made"],
      ["e2e/lost-data.test.ts", "serves again when the missing file is back"],
    ],
  },
  {
    symptom: "The start says that the data directory `is a copy`",
    cause: "You copied or restored the directory, and the original may still run.",
    action: "If the original is gone, start once with `--adopt-data`.",
    shown: [
      ["e2e/copied-data.test.ts", "is refused, and the workers of the original live on"],
      [
        "e2e/copied-data.test.ts",
        "runs beside the original when it is adopted, and leaves its workers alone",
      ],
    ],
  },
  {
    symptom: "The admin key is lost",
    cause: "The first start prints it once, and the server keeps only its digest.",
    action:
      "Run `forebay keys reset-admin` on the machine of the server, with the server's `--data`: " +
      "it prints a new admin key.",
    shown: [
      ["e2e/reset-admin.test.ts", "gives a running server a new admin key, and the lost one stays valid"],
      ["e2e/reset-admin.test.ts", "gives a stopped server the key from its next start"],
    ],
  },
  {
    symptom: "The console does not sign in behind TLS",
    cause: "The server does not know its public address, so the page looks foreign to it.",
    action: "Set `FOREBAY_PUBLIC_URL=https://queue.example.com`, or let the proxy pass the `Host` header on.",
    shown: [[CALLS, "the console cannot sign in behind TLS; with FOREBAY_PUBLIC_URL it can"]],
  },
  {
    symptom: "`runsync` or a stream ends early behind a proxy",
    cause: "The proxy waits 60 s by default, or buffers responses.",
    action: "Use the settings of [TLS](tls.md): wait at least 330 s, and do not buffer.",
    shown: [
      [
        SERVER,
        "a proxy that waits too short cuts calls that wait; with the settings of deploy they are answered",
      ],
    ],
  },
  {
    symptom: "`forebay doctor` says that clocks differ",
    cause: "The clock of this machine or of the server is wrong.",
    action: "Turn on time synchronisation on both: `timedatectl set-ntp true`.",
    shown: [
      [
        "cli/doctor.test.ts",
        "a server whose clock was set is told, and by how much; one of the same clock never is",
      ],
    ],
  },
];

const GROUPS = { Calls: CALL_ROWS, "Jobs and workers": WORKER_ROWS, "The server": SERVER_ROWS };

const HEAD = `# Troubleshooting

Find the symptom, and do what the action says. Before that, run \`forebay doctor\` with the settings of the
server: it checks everything that a server needs and shows how to fix it. Every code of the API is in
[errors](errors.md).

Made by \`npm run docs\` from \`test/troubleshooting/rows.ts\`. Tests show each symptom, and that its action
cures it; they are listed at the end.
`;

/** The text of docs/troubleshooting.md, and a sentence for each test named in it that is not there. */
export function troubleshooting(): { readonly document: string; readonly faults: readonly string[] } {
  const groups = Object.entries(GROUPS).map(([name, rows]) => {
    const lines = rows.map(({ symptom, cause, action }) => `| ${symptom} | ${cause} | ${action} |\n`);
    return `\n## ${name}\n\n| symptom | cause | action |\n|---|---|---|\n${lines.join("")}`;
  });
  const all = Object.values(GROUPS).flat();
  const shown = all.map((row) => `| ${row.symptom} | ${cellOf(row.shown)} |\n`).join("");
  const tests = `\n## Tests\n\n| symptom | shown by |\n|---|---|\n${shown}`;
  return { document: HEAD + groups.join("") + tests, faults: all.flatMap((row) => faultsOf(row.shown)) };
}
