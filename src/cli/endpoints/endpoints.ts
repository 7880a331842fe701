import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { MORE, parseManageCall } from "../manage/manage-call.ts";
import { bodyOf, OTHER_MEMBERS } from "../manage/members.ts";
import { callServer, endpointInPath } from "../server-call.ts";
import { type Column, printTable } from "../terminal/print.ts";
import { ENDPOINT_MEMBERS } from "./endpoint-members.ts";
import { printEndpoint, stateOf } from "./endpoint-record.ts";

const COLUMNS: readonly Column<EndpointAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name, most: 24 },
  { title: "STATE", text: stateOf },
  { title: "WORKERS", text: ({ workersMin, workersMax }) => `${workersMin} to ${workersMax}` },
  { title: "VERSION", text: ({ version }) => String(version) },
  { title: "TEMPLATE", text: ({ templateId }) => templateId },
];

const ID = "id or name of the endpoint";

/** Lists the endpoints of the account. */
export const listEndpoints: Command = {
  about: "Lists the endpoints of the account, and the state of their workers.",
  flags: CLIENT_FLAGS,
  examples: ["forebay endpoints list"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const endpoints = await callServer<EndpointAnswer[]>(access, "/v1/endpoints", "[");
    const nothing = "no endpoint: create one with forebay endpoints create <name>";
    printTable(isJson, endpoints, endpoints, COLUMNS, nothing);
  },
};

/** Prints an endpoint. */
export const showEndpoint: Command = {
  words: "<endpoint>",
  about: `
Prints an endpoint, the state of its workers, and why its jobs wait.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay endpoints show hello"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, ID);
    const path = `/v1/endpoints/${endpointInPath(word)}`;
    printEndpoint(isJson, await callServer<EndpointAnswer>(access, path, '{"id":'));
  },
};

/** Creates an endpoint. */
export const createEndpoint: Command = {
  words: "<name> [members]",
  about: `
Creates an endpoint. With a template, Forebay starts its workers. Without one,
you start them (forebay worker, forebay worker env).

${OTHER_MEMBERS}
`,
  flags: { ...ENDPOINT_MEMBERS, ...CLIENT_FLAGS },
  examples: [
    "forebay endpoints create chat --template $TEMPLATE --workers-max 5",
    "forebay endpoints create chat @endpoint.json --env MODEL=small",
  ],
  async run(args) {
    const call = parseManageCall(args, ["name of the endpoint", MORE], ENDPOINT_MEMBERS);
    const body = { ...(await bodyOf(call, ENDPOINT_MEMBERS)), name: call.word };
    printEndpoint(
      call.isJson,
      await callServer<EndpointAnswer>(call.access, "/v1/endpoints", '{"id":', body),
    );
  },
};

const NAME = {
  type: "string",
  value: "<name>",
  help: "another name",
  member: "name",
  read: (_: string, [given]: readonly string[]) => given,
} as const;
const UPDATE_MEMBERS = { name: NAME, ...ENDPOINT_MEMBERS };

/** Changes an endpoint. */
export const updateEndpoint: Command = {
  words: "<endpoint> [members]",
  about: `
Changes the given members and keeps the others. A change of the template, env,
gpus, vcpus or the host label starts a release (forebay releases list).

${OTHER_MEMBERS}
`,
  flags: { ...UPDATE_MEMBERS, ...CLIENT_FLAGS },
  examples: [
    "forebay endpoints update chat --workers-max 10 --idle-timeout 1m",
    "forebay endpoints update chat releasePace:=null",
  ],
  async run(args) {
    const call = parseManageCall(args, [ID, MORE], UPDATE_MEMBERS);
    const path = `/v1/endpoints/${endpointInPath(call.word)}`;
    const body = await bodyOf(call, UPDATE_MEMBERS);
    printEndpoint(call.isJson, await callServer(call.access, path, '{"id":', body, "PATCH"));
  },
};

/** Pauses an endpoint: jobs wait. */
export const pauseEndpoint: Command = pausing(
  true,
  "Pauses an endpoint: new jobs wait, running jobs continue, and idle workers stop.",
  "forebay endpoints pause chat",
);

/** Resumes an endpoint: jobs are handed out again. */
export const resumeEndpoint: Command = pausing(
  false,
  "Resumes a paused endpoint: workers get its waiting jobs again.",
  "forebay endpoints resume chat",
);

function pausing(isPaused: boolean, about: string, example: string): Command {
  return {
    words: "<endpoint>",
    about,
    flags: CLIENT_FLAGS,
    examples: [example],
    async run(args) {
      const { access, isJson, word } = parseManageCall(args, ID);
      const path = `/v1/endpoints/${endpointInPath(word)}`;
      printEndpoint(isJson, await callServer(access, path, '{"id":', { isPaused }, "PATCH"));
    },
  };
}
