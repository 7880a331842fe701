import { z } from "zod";
import { type Template, TEMPLATE_CATEGORIES, TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import type { Engine } from "../../engine/engine.ts";
import { ownerOf } from "../../engine/records/own-template.ts";
import {
  createTemplate,
  deleteTemplate,
  findShownTemplate,
  shownTemplateIds,
  shownTemplateOf,
  type ShownTemplate,
  updateTemplate,
} from "../../engine/records/templates.ts";
import { runtimes } from "../../engine/records/template-uses.ts";
import { accountOperation } from "../account-operation.ts";
import type { Shown, Warning } from "../answers/members.ts";
import {
  presentV2Template,
  V2_TEMPLATE,
  V2_TEMPLATES,
  type V2TemplateAnswer,
} from "../answers/v2-template.ts";
import { listReply } from "../list-reply.ts";
import { gigabytes, mountPath } from "../manage/template-schema.ts";
import { recordName } from "../manage/text-fields.ts";
import { objectParts } from "../present/payload-part.ts";
import { created, jsonReply, jsonValue, noContent, type Part } from "../reply.ts";
import { CONTAINER_FIELDS, containerIn, cudaVersion, definedIn } from "./container-schema.ts";
import { v2TemplateWarnings } from "./warnings.ts";

const FIELDS = {
  ...CONTAINER_FIELDS,
  mounts: z
    .strictObject({ persistent: z.strictObject({ size: gigabytes, path: mountPath }).optional() })
    .optional(),
  category: z.enum(TEMPLATE_CATEGORIES).optional(),
  public: z.boolean().optional(),
  serverless: z.boolean().optional(),
  startSsh: z.boolean().optional(),
  startJupyter: z.boolean().optional(),
  allowedCudaVersions: z.array(cudaVersion).max(100).optional(),
};

const CREATE = z.strictObject({ ...FIELDS, name: recordName, image: CONTAINER_FIELDS.image.unwrap() });
const UPDATE = z.strictObject({ ...FIELDS, name: recordName.optional() });

const list = accountOperation({
  id: "listTemplatesV2",
  method: "GET",
  path: "/v2/templates",
  access: "manage",
  tag: "managementV2",
  summary: "List templates",
  description: "The account's own, without those that belong to one endpoint.",
  answers: { 200: { description: "The templates.", json: V2_TEMPLATES } },
  handle: ({ engine, budgets }, call, { access: { account } }) =>
    listReply(call, budgets.answers.clients, records(engine, account), "templates"),
});

const create = accountOperation({
  id: "createTemplateV2",
  method: "POST",
  path: "/v2/templates",
  access: "manage",
  tag: "managementV2",
  summary: "Create a template",
  body: {
    schema: CREATE.meta({ id: "V2TemplateCreation", description: "What is said of a new template." }),
    example: {
      name: "hello-2",
      image: "registry.example.com/team/hello:1.2",
      args: "python handler.py",
      env: { MODEL: "small" },
      ports: ["8888/http"],
      serverless: true,
    },
    isRequired: true,
  },
  answers: { 201: { description: "The template.", json: V2_TEMPLATE } },
  errors: ["NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { access: { account }, body }) {
    const given = await body();
    const fields = fieldsIn(given);
    const members = {
      ...TEMPLATE_DEFAULTS,
      volumeInGb: 0,
      ...fields,
      name: given.name,
      imageName: given.image,
    };
    const template = await createTemplate(engine, account, members);
    return created(jsonValue(written(template, v2TemplateWarnings(template, fields, given))));
  },
});

const read = accountOperation({
  id: "readTemplateV2",
  method: "GET",
  path: "/v2/templates/{template}",
  access: "manage",
  tag: "managementV2",
  summary: "Read a template",
  answers: { 200: { description: "The template.", json: V2_TEMPLATE } },
  handle: ({ engine }, { parameters: [id = ""] }, { access: { account } }) =>
    jsonReply(templateParts(shownTemplateOf(engine, account, id))),
});

const update = accountOperation({
  id: "updateTemplateV2",
  method: "PATCH",
  path: "/v2/templates/{template}",
  access: "manage",
  tag: "managementV2",
  summary: "Change a template",
  description: "What is not named stays. Endpoints on the template replace their workers.",
  body: {
    schema: UPDATE.meta({ id: "V2TemplateChanges", description: "What is to change of a template." }),
    example: { image: "registry.example.com/team/hello:1.3" },
    isRequired: false,
  },
  answers: { 200: { description: "The template.", json: V2_TEMPLATE } },
  errors: ["NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [id = ""] }, { access: { account }, body }) {
    const given = await body();
    const fields = fieldsIn(given);
    const template = await updateTemplate(engine, account, id, fields);
    return jsonValue(written(template, v2TemplateWarnings(template, fields, given)));
  },
});

const remove = accountOperation({
  id: "deleteTemplateV2",
  method: "DELETE",
  path: "/v2/templates/{template}",
  access: "manage",
  tag: "managementV2",
  summary: "Delete a template",
  description: "A template that any endpoint uses is refused with `IN_USE`.",
  answers: { 204: { description: "It is gone." } },
  errors: ["IN_USE"],
  async handle({ engine }, { parameters: [id = ""] }, { access: { account } }) {
    await deleteTemplate(engine, account, id);
    return noContent();
  },
});

/** Templates in the shapes of the public API v2. */
export const V2_TEMPLATE_OPERATIONS = [list, create, read, update, remove] as const;

/** The members that the call sets, under the names of our records. */
function fieldsIn(given: z.output<typeof UPDATE>) {
  const { name, env, mounts, category, public: isPublic, serverless: isServerless } = given;
  const volume = { volumeInGb: mounts?.persistent?.size, volumeMountPath: mounts?.persistent?.path };
  return definedIn({ ...containerIn(given), ...volume, name, env, category, isPublic, isServerless });
}

function written(template: Template, warnings: readonly Warning[]): Shown<V2TemplateAnswer> {
  return { ...presentV2Template(template, warnings), env: template.env };
}

function templateParts(template: ShownTemplate): Part[] {
  return objectParts<V2TemplateAnswer, "env">(presentV2Template(template), { env: [template.env()] });
}

async function* records(engine: Engine, account: string) {
  const runtime = runtimes(engine);
  const own = shownTemplateIds(engine, account, { ofAccounts: false, ofPlatform: false, inUse: false });
  for (const id of own.filter((each) => ownerOf(each) === undefined)) {
    // Skips templates that were deleted meanwhile.
    const template = findShownTemplate(engine, { account, id, runtime });
    if (template !== undefined) yield () => templateParts(template);
  }
}
