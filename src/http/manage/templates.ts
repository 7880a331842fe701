import type { Template } from "../../domain/template.ts";
import { createTemplate, type TemplateFields, updateTemplate } from "../../engine/records/templates.ts";
import { accountRoute } from "../account-route.ts";
import type { Dialect } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";
import { CREATE_TEMPLATE, UPDATE_TEMPLATE } from "./template-schema.ts";

/** Spec 4.B: create a template, update a template. */
export function templateRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/templates",
      async handle(call, account) {
        const fields = await parseBody(context, call, CREATE_TEMPLATE);
        return jsonValue(presentTemplate(await createTemplate(engine, account, fields), call.dialect));
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/templates/{template}/update",
      async handle(call, account) {
        const [id = ""] = call.parameters;
        const changes = given(await parseBody(context, call, UPDATE_TEMPLATE));
        return jsonValue(presentTemplate(await updateTemplate(engine, account, id, changes), call.dialect));
      },
    }),
  ];
}

/** The members that an update names. */
function given(changes: {
  [Key in keyof TemplateFields]?: TemplateFields[Key] | undefined;
}): Partial<TemplateFields> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Spec 2.8. The public SDKs know `isPlatform` under the name of the operator they were written for. */
function presentTemplate(template: Template, dialect: Dialect): object {
  return dialect === "sdk" ? { ...template, isRunpod: template.isPlatform } : template;
}
