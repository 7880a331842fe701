import { ForebayError } from "../../domain/errors.ts";
import type { Template } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { putRecord } from "./put-record.ts";
import { ensureReleases } from "./releases.ts";
import { openTemplate, sealTemplate, type StoredTemplate } from "./stored-template.ts";

/** The members of a template that its author chooses, and whether it is one of the operator's. */
export type TemplateFields = Omit<Template, "id" | "isPlatform" | "earned" | "runtimeInMin"> &
  Partial<Pick<Template, "isPlatform">>;

/** Makes a template (spec 4.B.1). Throws NAME_TAKEN, INVALID_FIELD. */
export async function createTemplate(
  engine: Engine,
  account: string,
  fields: TemplateFields,
): Promise<Template> {
  const template: Template = { isPlatform: false, ...fields, id: newRecordId(), earned: 0, runtimeInMin: 0 };
  refuseUnlessRunnable(engine, template);
  await putRecord(engine, "template", sealTemplate(engine, account, template));
  return template;
}

/**
 * Changes the members given and leaves the others (spec 4.B.2). Where workers start from one of these, a
 * release begins at each endpoint on the template. Throws TEMPLATE_NOT_FOUND, NAME_TAKEN,
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
  await ensureReleases(engine, id);
  return template;
}

/** The template, if the account may use it. Throws TEMPLATE_NOT_FOUND. */
export function usableTemplateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || !mayUse(account, stored)) throw notFound(id);
  return openTemplate(engine, stored);
}

/** Its author may, and anyone while it is public (spec 2.8). */
function mayUse(account: string, template: Pick<StoredTemplate, "account" | "isPublic">): boolean {
  return template.account === account || template.isPublic;
}

/** The template as the account may see it: the environment's values are its author's. Throws the same. */
export function shownTemplateOf(engine: Engine, account: string, id: string): Template {
  const template = usableTemplateOf(engine, account, id);
  if (engine.configuration.get("template", id)?.account === account) return template;
  const env = Object.fromEntries(Object.keys(template.env).map((name) => [name, HIDDEN]));
  return { ...template, env };
}

const HIDDEN = "***";

/** All templates that the account may use, as it may see them: its own first, each in the order of names. */
export function shownTemplates(engine: Engine, account: string): Template[] {
  return engine.configuration
    .all("template")
    .filter((template) => mayUse(account, template))
    .sort(
      (a, b) => Number(b.account === account) - Number(a.account === account) || (a.name < b.name ? -1 : 1),
    )
    .map(({ id }) => shownTemplateOf(engine, account, id));
}

/** The template, if it is the account's. Throws TEMPLATE_NOT_FOUND. */
function templateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || stored.account !== account) throw notFound(id);
  return openTemplate(engine, stored);
}

function notFound(id: string): ForebayError {
  return new ForebayError("TEMPLATE_NOT_FOUND", `There is no template ${id}.`);
}

function refuseUnlessRunnable(engine: Engine, template: Template): void {
  const refusal = engine.refusal(template);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}
