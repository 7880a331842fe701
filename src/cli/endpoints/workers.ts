import type { WorkerAnswer } from "../../http/answers/worker.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { checkedId, type ManageCall, parseManageCall } from "../manage/manage-call.ts";
import { endpointInPath, listAll, callWithoutAnswer } from "../server-call.ts";
import { type Column, printJson, printTable } from "../terminal/print.ts";

const COLUMNS: readonly Column<WorkerAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "STATE", text: ({ state }) => state },
  { title: "VERSION", text: ({ version }) => version?.toString() ?? "" },
  { title: "JOBS", text: ({ jobs }) => String(jobs.length) },
  { title: "BY", text: ({ managed, provider }) => (managed ? (provider ?? "Forebay") : "itself") },
  { title: "HOST", text: ({ host }) => host ?? "" },
  { title: "HEARTBEATS", text: ({ heartbeats }) => (heartbeats ? "yes" : "no") },
  { title: "LAST CALL", text: ({ lastContact }) => lastContact ?? "never" },
  { title: "STARTED", text: ({ startedAt }) => startedAt ?? "" },
  { title: "REASON", text: ({ reason }) => reason ?? "" },
];

const ENDPOINT = "id or name of the endpoint";
const BOTH = [ENDPOINT, "id of the worker"];

/** Lists the workers of an endpoint. */
export const listWorkers: Command = {
  words: "<endpoint>",
  about: `
Lists the workers of an endpoint, in the order of their starts. A worker without
heartbeats needs RUNPOD_POD_ID: forebay worker env --many shows how.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay workers list chat"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, ENDPOINT);
    const path = `/v1/endpoints/${endpointInPath(word)}/workers`;
    const workers = await listAll(access, path, "workers");
    printTable(isJson, { workers }, workers, COLUMNS, "no worker");
  },
};

/** Stops a worker. Its jobs are handed out again. */
export const stopWorker: Command = {
  words: "<endpoint> <worker>",
  about: `
Stops a worker that Forebay started, or refuses further calls of one that you
started. Other workers run its jobs. A new worker starts only if the endpoint
needs one.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay workers stop chat $WORKER"],
  async run(args) {
    const call = parseManageCall(args, BOTH);
    await callWithoutAnswer(call.access, pathOf(call), "DELETE");
    done(call, "stopped");
  },
};

/** Replaces a worker by a new one. */
export const replaceWorker: Command = {
  words: "<endpoint> <worker>",
  about: `
A worker that Forebay started gets no more jobs and stops after its current
ones. A new one starts as soon as the endpoint needs it.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay workers replace chat $WORKER"],
  async run(args) {
    const call = parseManageCall(args, BOTH);
    await callWithoutAnswer(call.access, `${pathOf(call)}/replace`, "POST");
    done(call, "replaced");
  },
};

function pathOf({ words: [endpoint = "", worker = ""] }: ManageCall): string {
  return `/v1/endpoints/${endpointInPath(endpoint)}/workers/${checkedId("a worker", worker)}`;
}

function done({ isJson, words: [, id = ""] }: ManageCall, what: "stopped" | "replaced"): void {
  if (isJson) printJson({ id, [what]: true });
  else console.log(`${id} is being ${what}`);
}
