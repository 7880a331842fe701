import type { z } from "zod";
import type { Access } from "../../domain/account.ts";
import { covers } from "../../domain/scope.ts";
import type { Engine } from "../../engine/engine.ts";
import {
  createTemplate,
  deleteTemplate,
  findShownTemplate,
  shownTemplateIds,
  shownTemplateOf,
  type TemplateFields,
  updateTemplate,
} from "../../engine/records/templates.ts";
import { runtimes } from "../../engine/records/template-uses.ts";
import { accountOperation } from "../account-operation.ts";
import type { Dialect } from "../call.ts";
import { listReply } from "../list-reply.ts";
import { presentTemplate, TEMPLATE, TEMPLATES } from "../answers/template.ts";
import { flag } from "../parameters.ts";
import { parseBody } from "../parse-body.ts";
import { templateParts } from "../present/endpoint.ts";
import { jsonReply, jsonValue, noContent } from "../reply.ts";
import {
  CREATE_TEMPLATE,
  CREATE_TEMPLATE_OF_OPERATOR,
  UPDATE_TEMPLATE,
  UPDATE_TEMPLATE_OF_OPERATOR,
} from "./template-schema.ts";
import { templateWarnings } from "./warnings.ts";

/** `isPlatform` is ignored for callers who are not operators. */
type Creation = z.output<typeof CREATE_TEMPLATE> & Partial<z.output<typeof CREATE_TEMPLATE_OF_OPERATOR>>;
type Changes = z.output<typeof UPDATE_TEMPLATE> & Partial<z.output<typeof UPDATE_TEMPLATE_OF_OPERATOR>>;

const list = accountOperation({
  id: "listTemplates",
  method: "GET",
  path: "/v1/templates",
  access: "manage",
  tag: "templates",
  summary: "List templates",
  description: "The account's own, then of the public ones of others those that the query asks for.",
  query: {
    includePublicTemplates: flag("Also those that other accounts have made public."),
    includeRunpodTemplates: flag("Also those that the operator has made public: `isPlatform`."),
    includeEndpointBoundTemplates: flag("Also those of others that endpoints of the account are on."),
  },
  answers: { 200: { description: "The templates.", json: TEMPLATES } },
  handle({ engine, budgets }, call, { access: { account }, query }) {
    const included = query();
    const ids = shownTemplateIds(engine, account, {
      ofAccounts: included.includePublicTemplates,
      ofPlatform: included.includeRunpodTemplates,
      inUse: included.includeEndpointBoundTemplates,
    });
    return listReply(call, budgets.answers.clients, records(engine, call.dialect, account, ids));
  },
});

const create = accountOperation({
  id: "createTemplate",
  method: "POST",
  path: "/v1/templates",
  access: "manage",
  tag: "templates",
  summary: "Create a template",
  description:
    "What is not named, or null, has its default; unknown members are ignored, and so is `isPlatform` " +
    "from any key but one with the scope admin.",
  body: {
    schema: CREATE_TEMPLATE_OF_OPERATOR.meta({
      id: "TemplateCreation",
      description: "What is said of a new template.",
    }),
    example: {
      name: "hello",
      imageName: "registry.example.com/team/hello:1.2",
      dockerStartCmd: ["python", "handler.py"],
      env: { MODEL: "small" },
      ports: ["8888/http"],
    },
    isRequired: true,
  },
  answers: { 200: { description: "The template.", json: TEMPLATE } },
  errors: ["NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle(context, call, { access, body }) {
    const { engine } = context;
    const { isPlatform, ...fields }: Creation = isOperators(access)
      ? await body()
      : await parseBody(context, call, CREATE_TEMPLATE);
    const wish = { ...fields, isPlatform: isPlatform ?? false };
    const template = await createTemplate(engine, access.account, wish);
    return jsonValue(presentTemplate(template, call.dialect, templateWarnings(template, fields)));
  },
});

const read = accountOperation({
  id: "readTemplate",
  method: "GET",
  path: "/v1/templates/{template}",
  access: "manage",
  tag: "templates",
  summary: "Read a template",
  answers: { 200: { description: "The template.", json: TEMPLATE } },
  handle({ engine }, { parameters: [id = ""], dialect }, { access: { account } }) {
    return jsonReply(templateParts(shownTemplateOf(engine, account, id), dialect));
  },
});

const remove = accountOperation({
  id: "deleteTemplate",
  method: "DELETE",
  path: "/v1/templates/{template}",
  access: "manage",
  tag: "templates",
  summary: "Delete a template",
  description: "A template that any endpoint uses is refused with `IN_USE`.",
  answers: { 204: { description: "It is gone." } },
  errors: ["IN_USE"],
  async handle({ engine }, { parameters: [id = ""] }, { access: { account } }) {
    await deleteTemplate(engine, account, id);
    return noContent();
  },
});

const update = accountOperation({
  id: "updateTemplate",
  method: "POST",
  path: "/v1/templates/{template}/update",
  access: "manage",
  tag: "templates",
  summary: "Change a template",
  description:
    "What is not named stays; null puts the default back, but for `name` and `imageName`, which have none.",
  body: {
    schema: UPDATE_TEMPLATE_OF_OPERATOR.meta({
      id: "TemplateChanges",
      description: "What is to change of a template.",
    }),
    example: { imageName: "registry.example.com/team/hello:1.3", env: { MODEL: "large" } },
    isRequired: false,
  },
  answers: { 200: { description: "The template.", json: TEMPLATE } },
  errors: ["NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle(context, call, { access, body }) {
    const [id = ""] = call.parameters;
    const { engine } = context;
    const { isPlatform, ...fields }: Changes = isOperators(access)
      ? await body()
      : await parseBody(context, call, UPDATE_TEMPLATE);
    const changes = given({ ...fields, isPlatform: isPlatform === null ? false : isPlatform });
    const template = await updateTemplate(engine, access.account, id, changes);
    return jsonValue(presentTemplate(template, call.dialect, templateWarnings(template, changes)));
  },
});

/** Spec 4.B: create a template, update a template. Also: list, read, delete (design, row 20). */
export const TEMPLATE_OPERATIONS = [
  list,
  create,
  read,
  { ...update, id: "patchTemplate", method: "PATCH", path: "/v1/templates/{template}" },
  remove,
  update,
] as const;

function isOperators({ scopes }: Access): boolean {
  return covers(scopes, "admin");
}

/** The members that an update sets. */
function given(changes: {
  [Key in keyof TemplateFields]?: TemplateFields[Key] | undefined;
}): Partial<TemplateFields> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

async function* records(engine: Engine, dialect: Dialect, account: string, ids: readonly string[]) {
  const runtime = runtimes(engine);
  for (const id of ids) {
    // Skips templates that were deleted meanwhile.
    const template = findShownTemplate(engine, { account, id, runtime });
    if (template !== undefined) yield () => templateParts(template, dialect);
  }
}
