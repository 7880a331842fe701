import type { TemplateAnswer } from "../../http/answers/template.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { pairsText } from "../endpoints/endpoint-record.ts";
import { checkedId, type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { bodyOf, OTHER_MEMBERS } from "../manage/members.ts";
import { callServer, callWithoutAnswer } from "../server-call.ts";
import { type Column, printJson, printRecord, printTable } from "../terminal/print.ts";
import { shown } from "../terminal/terminal-text.ts";
import { CREATE_MEMBERS, UPDATE_MEMBERS } from "./template-members.ts";

const COLUMNS: readonly Column<TemplateAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name, most: 24 },
  { title: "IMAGE", text: ({ imageName }) => imageName, most: 32 },
  { title: "MINUTES", text: ({ runtimeInMin }) => String(runtimeInMin) },
  { title: "PUBLIC", text: ({ isPublic }) => (isPublic ? "yes" : "") },
];

const LIST_FLAGS = {
  public: { type: "boolean", help: "also public templates of other accounts" },
  platform: { type: "boolean", help: "also templates of the operator" },
  bound: { type: "boolean", help: "also templates of other accounts that your endpoints use" },
} as const satisfies Flags;

const ID = "id of the template";

/** Lists the templates of the account, and other templates that it may use. */
export const listTemplates: Command = {
  about: "Lists the templates of the account, and the minutes their workers ran.",
  flags: { ...LIST_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay templates list --platform"],
  async run(args) {
    const { access, isJson, isSet } = parseManageCall(args, undefined, LIST_FLAGS);
    const query = new URLSearchParams({
      includePublicTemplates: String(isSet("public")),
      includeRunpodTemplates: String(isSet("platform")),
      includeEndpointBoundTemplates: String(isSet("bound")),
    });
    const templates = await callServer<TemplateAnswer[]>(access, `/v1/templates?${query.toString()}`, "[");
    const nothing = "no template: create one with forebay templates create <name> --image <image>";
    printTable(isJson, templates, templates, COLUMNS, nothing);
  },
};

/** Prints a template and its readme. */
export const showTemplate: Command = {
  words: "<template>",
  about: "Prints a template and its readme.",
  flags: CLIENT_FLAGS,
  examples: ["forebay templates show $ID"],
  async run(args) {
    const call = parseManageCall(args, ID);
    print(call, await callServer<TemplateAnswer>(call.access, pathOf(call), '{"id":'));
  },
};

/** Creates a template. */
export const createTemplate: Command = {
  words: "<name> [members]",
  about: `
Creates a template: the image of workers and how to start it. Endpoints use it.

${OTHER_MEMBERS}
`,
  flags: { ...CREATE_MEMBERS, ...CLIENT_FLAGS },
  examples: [
    "forebay templates create whisper --image ghcr.io/team/whisper:1.2",
    "forebay templates create whisper @template.json --readme @README.md",
  ],
  async run(args) {
    const call = parseManageCall(args, ["name of the template", MORE], CREATE_MEMBERS);
    const body = { ...(await bodyOf(call, CREATE_MEMBERS)), name: call.word };
    print(call, await callServer<TemplateAnswer>(call.access, "/v1/templates", '{"id":', body));
  },
};

/** Changes a template. */
export const updateTemplate: Command = {
  words: "<template> [members]",
  about: `
Changes the given members. A change of how workers start begins a release on
every endpoint that uses the template (forebay releases list).

${OTHER_MEMBERS}
`,
  flags: { ...UPDATE_MEMBERS, ...CLIENT_FLAGS },
  examples: [
    "forebay templates update $ID --image ghcr.io/team/whisper:1.3",
    "forebay templates update $ID readme:=null --public",
  ],
  async run(args) {
    const call = parseManageCall(args, [ID, MORE], UPDATE_MEMBERS);
    const body = await bodyOf(call, UPDATE_MEMBERS);
    print(call, await callServer<TemplateAnswer>(call.access, pathOf(call), '{"id":', body, "PATCH"));
  },
};

/** Deletes a template. */
export const deleteTemplate: Command = {
  words: "<template>",
  about: "Deletes a template. You cannot delete one that an endpoint uses.",
  flags: CLIENT_FLAGS,
  examples: ["forebay templates delete $ID"],
  async run(args) {
    const call = parseManageCall(args, ID);
    await callWithoutAnswer(call.access, pathOf(call), "DELETE");
    if (call.isJson) printJson({ id: call.word, deleted: true });
    else console.log(`${call.word} deleted`);
  },
};

function pathOf({ word }: ManageCall): string {
  return `/v1/templates/${checkedId("a template", word)}`;
}

function print({ isJson }: ManageCall, template: TemplateAnswer): void {
  printRecord(isJson, template, {
    id: template.id,
    name: template.name,
    image: template.imageName,
    category: template.category,
    "registry login": template.containerRegistryAuthId,
    entrypoint: template.dockerEntrypoint.join(" "),
    "start command": template.dockerStartCmd.join(" "),
    env: pairsText(template.env),
    ports: template.ports.join(", "),
    disk: `${template.containerDiskInGb} GB`,
    volume: `${template.volumeInGb} GB at ${template.volumeMountPath}`,
    public: template.isPublic ? "yes" : "no",
    platform: template.isPlatform ? "yes" : undefined,
    minutes: String(template.runtimeInMin),
  });
  if (!isJson && template.readme !== "") console.log(`\n${shown(template.readme)}`);
}
