import type { Access } from "../../domain/account.ts";
import { covers } from "../../domain/scope.ts";
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
import { ACCESS_WITHIN } from "../access.ts";
import { accountRoute } from "../account-route.ts";
import { presentTemplate } from "../answers/template.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { listReply } from "../list-reply.ts";
import { templateParts } from "../present/endpoint.ts";
import { parseQuery } from "../query.ts";
import { jsonReply, jsonValue, noContent, type Reply } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";
import {
  CREATE_TEMPLATE,
  CREATE_TEMPLATE_OF_OPERATOR,
  UPDATE_TEMPLATE,
  UPDATE_TEMPLATE_OF_OPERATOR,
} from "./template-schema.ts";

/** Spec 4.B: create a template, update a template. Also: list, read, delete (design, row 20). */
export function templateRoutes(context: HttpContext): Route[] {
  const { engine } = context;

  async function created(call: Call, access: Access): Promise<TemplateFields> {
    if (!isOperators(access)) return parseBody(context, call, CREATE_TEMPLATE);
    const { isPlatform, ...fields } = await parseBody(context, call, CREATE_TEMPLATE_OF_OPERATOR);
    return { ...fields, isPlatform: isPlatform ?? false };
  }

  async function changed(call: Call, access: Access): Promise<Partial<TemplateFields>> {
    if (!isOperators(access)) return given(await parseBody(context, call, UPDATE_TEMPLATE));
    const { isPlatform, ...fields } = await parseBody(context, call, UPDATE_TEMPLATE_OF_OPERATOR);
    return given({ ...fields, isPlatform: isPlatform === null ? false : isPlatform });
  }

  async function update(call: Call, access: Access): Promise<Reply> {
    const [id = ""] = call.parameters;
    const template = await updateTemplate(engine, access.account, id, await changed(call, access));
    return jsonValue(presentTemplate(template, call.dialect));
  }

  async function* records({ dialect }: Call, account: string, ids: readonly string[]) {
    const runtime = runtimes(engine);
    for (const id of ids) {
      // One that was deleted meanwhile is left out.
      const template = findShownTemplate(engine, { account, id, runtime });
      if (template !== undefined) yield () => templateParts(template, dialect);
    }
  }

  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/templates",
      async handle(call, access) {
        const template = await createTemplate(engine, access.account, await created(call, access));
        return jsonValue(presentTemplate(template, call.dialect));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/templates",
      handle(call, { account }) {
        const query = parseQuery(call.query);
        const ids = shownTemplateIds(engine, account, {
          ofAccounts: query.flag("includePublicTemplates"),
          ofPlatform: query.flag("includeRunpodTemplates"),
          inUse: query.flag("includeEndpointBoundTemplates"),
        });
        return listReply(call, context.budgets.answers.clients, records(call, account, ids));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/templates/{template}",
      handle(call, { account }) {
        const template = shownTemplateOf(engine, account, call.parameters[0] ?? "");
        return jsonReply(templateParts(template, call.dialect));
      },
    }),
    accountRoute(context, { methods: ["PATCH"], path: "/v1/templates/{template}", handle: update }),
    accountRoute(context, { methods: ["POST"], path: "/v1/templates/{template}/update", handle: update }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/templates/{template}",
      async handle(call, { account }) {
        await deleteTemplate(engine, account, call.parameters[0] ?? "");
        return noContent();
      },
    }),
  ];
}

function isOperators({ scopes }: Access): boolean {
  return covers(scopes, ACCESS_WITHIN.isPlatform);
}

/** The members that an update names. */
function given(changes: {
  [Key in keyof TemplateFields]?: TemplateFields[Key] | undefined;
}): Partial<TemplateFields> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
