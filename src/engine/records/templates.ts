import { ForebayError } from "../../domain/errors.ts";
import { commandNameOf, type Template } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { putRecord } from "./put-record.ts";
import { openTemplate, sealTemplate } from "./stored-template.ts";

/** The members of a template that its author chooses. */
export type TemplateFields = Omit<Template, "id" | "isPlatform" | "earned" | "runtimeInMin">;

/** Makes a template (spec 4.B.1). Throws NAME_TAKEN, INVALID_FIELD. */
export async function createTemplate(
  engine: Engine,
  account: string,
  fields: TemplateFields,
): Promise<Template> {
  const template: Template = { ...fields, id: newRecordId(), isPlatform: false, earned: 0, runtimeInMin: 0 };
  refuseUnlessRunnable(engine, template);
  await putRecord(engine, "template", sealTemplate(engine, account, template));
  return template;
}

/**
 * Changes the members given and leaves the others (spec 4.B.2). Throws TEMPLATE_NOT_FOUND, NAME_TAKEN,
 * INVALID_FIELD.
 */
export async function updateTemplate(
  engine: Engine,
  account: string,
  id: string,
  changes: Partial<TemplateFields>,
): Promise<Template> {
  const template = { ...templateOf(engine, account, id), ...changes };
  refuseUnlessRunnable(engine, template);
  await putRecord(engine, "template", sealTemplate(engine, account, template));
  return template;
}

/** The template, if it is the account's. Throws TEMPLATE_NOT_FOUND. */
export function templateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || stored.account !== account) {
    throw new ForebayError("TEMPLATE_NOT_FOUND", `There is no template ${id}.`);
  }
  return openTemplate(engine, stored);
}

/** A registered command can run nowhere else: what this server does not run of it, nobody does. */
function refuseUnlessRunnable(engine: Engine, template: Template): void {
  if (commandNameOf(template.imageName) === undefined) return;
  const refusal = engine.refusal(template);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}
