import { ForebayError } from "../../domain/errors.ts";
import type { Template } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { templateNotFound, unknownRegistryLogin } from "./missing-record.ts";
import { NAMES_TEMPLATE } from "./needed-record.ts";
import { putRecord } from "./put-record.ts";
import { ensureReleases } from "./releases.ts";
import { openTemplate, readableTemplate, sealTemplate, type StoredTemplate } from "./stored-template.ts";
import { forgetTemplateUse, runtimes } from "./template-uses.ts";

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
  refuseForeignLogin(engine, account, fields);
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
  refuseForeignLogin(engine, account, changes);
  refuseUnlessRunnable(engine, template);
  await putRecord(engine, "template", sealTemplate(engine, account, template));
  await ensureReleases(engine, id);
  return { ...template, runtimeInMin: runtimes(engine)(id) };
}

/** Removes a template. Throws TEMPLATE_NOT_FOUND, and IN_USE while an endpoint is on it, whoever's. */
export async function deleteTemplate(engine: Engine, account: string, id: string): Promise<void> {
  templateOf(engine, account, id);
  const removal = { step: "remove", kind: "template", id, unlessNamedBy: NAMES_TEMPLATE } as const;
  const [answer] = await engine.store.apply([removal], engine.clock.now());
  await engine.configuration.refresh();
  if (answer.outcome === "absent") throw templateNotFound(id);
  if (answer.outcome === "inUse") throw inUse(engine, account, id);
  await forgetTemplateUse(engine, id);
}

function inUse(engine: Engine, account: string, id: string): ForebayError {
  const users = engine.configuration.all("endpoint").filter(({ templateId }) => templateId === id);
  const foreign = users.filter((endpoint) => endpoint.account !== account).length;
  const count = users.length === 1 ? "1 endpoint" : `${users.length} endpoints`;
  const whose = foreign === 0 ? "" : `, ${foreign} of them of other accounts`;
  return new ForebayError(
    "IN_USE",
    `Template ${id} is used by ${count}${whose}. Delete these, or put them on another template, first.`,
  );
}

/** The template, if the account may use it. Throws TEMPLATE_NOT_FOUND. */
export function usableTemplateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || !mayUse(account, stored)) throw templateNotFound(id);
  return openTemplate(engine, stored);
}

/** Whether there is such a template and the account may use it. */
export function mayUseTemplate(engine: Engine, account: string, id: string): boolean {
  const stored = engine.configuration.get("template", id);
  return stored !== undefined && mayUse(account, stored);
}

/** Its author may, and anyone while it is public (spec 2.8). */
function mayUse(account: string, template: Pick<StoredTemplate, "account" | "isPublic">): boolean {
  return template.account === account || template.isPublic;
}

/**
 * The template as the account may see it: the values of the environment and the registry login are its
 * author's. Throws the same.
 */
export function shownTemplateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || !mayUse(account, stored)) throw templateNotFound(id);
  return shown(engine, account, stored, runtimes(engine));
}

function shown(
  engine: Engine,
  account: string,
  stored: StoredTemplate,
  runtime: (template: string) => number,
): Template {
  const template = { ...readableTemplate(engine, stored), runtimeInMin: runtime(stored.id) };
  if (stored.account === account) return template;
  const env = Object.fromEntries(Object.keys(template.env).map((name) => [name, HIDDEN]));
  return { ...template, env, containerRegistryAuthId: "" };
}

const HIDDEN = "***";

/** Which templates of other accounts a list has; each of them is public. */
export interface TemplatesOfOthers {
  /** Those that are not the operator's. */
  readonly ofAccounts: boolean;
  /** Those of the operator. */
  readonly ofPlatform: boolean;
  /** Those that an endpoint of the account is on. */
  readonly inUse: boolean;
}

/** The account's templates, and those of others that it wants to see: its own first, each by their names. */
export function shownTemplates(engine: Engine, account: string, others: TemplatesOfOthers): Template[] {
  const { all } = engine.configuration;
  const used = new Set(
    all("endpoint").flatMap((endpoint) => (endpoint.account === account ? [endpoint.templateId] : [])),
  );
  const isWanted = (template: StoredTemplate): boolean =>
    (template.isPlatform ? others.ofPlatform : others.ofAccounts) || (others.inUse && used.has(template.id));
  const runtime = runtimes(engine);
  return all("template")
    .filter((template) => template.account === account || (template.isPublic && isWanted(template)))
    .sort(
      (a, b) => Number(b.account === account) - Number(a.account === account) || (a.name < b.name ? -1 : 1),
    )
    .map((template) => shown(engine, account, template, runtime));
}

/** The template, if it is the account's. Throws TEMPLATE_NOT_FOUND. */
function templateOf(engine: Engine, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || stored.account !== account) throw templateNotFound(id);
  return openTemplate(engine, stored);
}

/** A login of another account opens nothing for this one. */
function refuseForeignLogin(engine: Engine, account: string, given: Partial<TemplateFields>): void {
  const { containerRegistryAuthId: id = "" } = given;
  if (id === "" || engine.configuration.get("registryLogin", id)?.account === account) return;
  throw unknownRegistryLogin(id);
}

function refuseUnlessRunnable(engine: Engine, template: Template): void {
  const refusal = engine.refusal(template);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}
