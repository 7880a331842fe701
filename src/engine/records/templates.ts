import { ForebayError } from "../../domain/errors.ts";
import type { Template } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import type { WithWorkerStarts } from "../launch.ts";
import type { WithSecrets } from "../secret-box.ts";
import type { WithLog } from "../verb-needs.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { StoredTemplate } from "./record-bodies.ts";

import { NAMES_TEMPLATE, templateNotFound, unknownRegistryLogin } from "./needed-record.ts";
import { putRecord } from "./put-record.ts";
import { makeRoomForReleases } from "./release-room.ts";
import { ensureReleases, type Releases } from "./releases.ts";
import { openTemplate, openTemplateEnv, readableEnv, sealTemplate } from "./sealed-env.ts";
import { forgetTemplateUse, runtimes, type TemplateUses } from "./template-uses.ts";

/** What changing templates needs. */
export interface Templates extends Releases, TemplateUses {}

/** The members of a template that its author chooses, and whether it belongs to the operator. */
export type TemplateFields = Omit<Template, "id" | "isPlatform" | "earned" | "runtimeInMin"> &
  Partial<Pick<Template, "isPlatform">>;

/** The members of a new template; without an id it gets a new one. */
export type NewTemplate = TemplateFields & { readonly id?: string | undefined };

/** Creates a template (spec 4.B.1). Throws NAME_TAKEN, INVALID_FIELD, LIMIT_REACHED. */
export async function createTemplate(
  engine: Templates,
  account: string,
  { id = newRecordId(), ...fields }: NewTemplate,
): Promise<Template> {
  const template: Template = { isPlatform: false, ...fields, id, earned: 0, runtimeInMin: 0 };
  refuseForeignLogin(engine, account, fields);
  refuseUnlessRunnable(engine, template);
  await putRecord(engine, "template", sealTemplate(engine, account, template));
  return template;
}

/**
 * Changes the given members and leaves the others (spec 4.B.2). If workers start differently then, a release
 * begins at each endpoint on the template. Throws TEMPLATE_NOT_FOUND, NAME_TAKEN, INVALID_FIELD,
 * LIMIT_REACHED.
 */
export async function updateTemplate(
  engine: Templates,
  account: string,
  id: string,
  changes: Partial<TemplateFields>,
): Promise<Template> {
  const template = { ...templateOf(engine, account, id), ...changes };
  refuseForeignLogin(engine, account, changes);
  refuseUnlessRunnable(engine, template);
  const stored = sealTemplate(engine, account, template);
  const users = engine.configuration.all("endpoint").filter((endpoint) => endpoint.templateId === id);
  const own = users.filter((endpoint) => endpoint.account === account).length;
  if (beginsRelease(changes)) await makeRoomForReleases(engine, account, stored, own);
  await putRecord(engine, "template", stored);
  await ensureReleases(engine, id);
  return { ...template, runtimeInMin: runtimes(engine)(id) };
}

/** Members that do not change how a worker starts. */
const NOT_OF_RELEASES: ReadonlySet<string> = new Set(["name", "readme", "isPublic", "isPlatform"]);

function beginsRelease(changes: Partial<TemplateFields>): boolean {
  return Object.keys(changes).some((name) => !NOT_OF_RELEASES.has(name));
}

/** Removes a template. Throws TEMPLATE_NOT_FOUND, and IN_USE while an endpoint of any account uses it. */
export async function deleteTemplate(engine: Templates, account: string, id: string): Promise<void> {
  templateOf(engine, account, id);
  const removal = { step: "remove", kind: "template", id, unlessNamedBy: NAMES_TEMPLATE } as const;
  const [answer] = await engine.store.apply([removal], engine.clock.now());
  await engine.configuration.refresh();
  if (answer.outcome === "absent") throw templateNotFound(id);
  if (answer.outcome === "inUse") throw inUse(engine, account, id);
  await forgetTemplateUse(engine, id);
}

function inUse(engine: WithConfiguration, account: string, id: string): ForebayError {
  const users = engine.configuration.all("endpoint").filter(({ templateId }) => templateId === id);
  const foreign = users.filter((endpoint) => endpoint.account !== account).length;
  const count = users.length === 1 ? "1 endpoint" : `${users.length} endpoints`;
  const whose = foreign === 0 ? "" : `, ${foreign} of them of other accounts`;
  return new ForebayError(
    "IN_USE",
    `Template ${id} is used by ${count}${whose}. First delete them, or give them another template.`,
  );
}

/** The template, if the account may use it. Throws TEMPLATE_NOT_FOUND. */
export function usableTemplateOf(
  engine: WithConfiguration & WithSecrets,
  account: string,
  id: string,
): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || !mayUse(account, stored)) throw templateNotFound(id);
  return openTemplate(engine, stored);
}

/** Its author may use it, and any account while it is public (spec 2.8). */
function mayUse(account: string, template: Pick<StoredTemplate, "account" | "isPublic">): boolean {
  return template.account === account || template.isPublic;
}

/** A template as an account may see it. The environment can be large, so it is decrypted only on demand. */
export interface ShownTemplate extends Omit<Template, "env"> {
  /** JSON in bytes that are the caller's own, the same each time. */
  readonly env: () => Uint8Array;
}

/**
 * The template as the account may see it: only its author sees the values of the environment and the registry
 * login. Throws TEMPLATE_NOT_FOUND.
 */
export function shownTemplateOf(engine: Templates, account: string, id: string): ShownTemplate {
  const template = findShownTemplate(engine, { account, id, runtime: runtimes(engine) });
  if (template === undefined) throw templateNotFound(id);
  return template;
}

/** The account that reads the template, and the run times of its workers (`runtimes`). */
export interface TemplateReading {
  readonly account: string;
  readonly id: string;
  readonly runtime: (template: string) => number;
}

/** The same; undefined if the account may not use such a template. */
export function findShownTemplate(
  engine: WithConfiguration & WithSecrets & WithLog,
  { account, id, runtime }: TemplateReading,
): ShownTemplate | undefined {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || !mayUse(account, stored)) return undefined;
  const runtimeInMin = runtime(id);
  const env = (): Uint8Array => readableEnv(engine, `template ${id}`, () => openTemplateEnv(engine, stored));
  if (stored.account === account) return { ...stored, runtimeInMin, env };
  return { ...stored, runtimeInMin, containerRegistryAuthId: "", env: () => hidden(env()) };
}

function hidden(env: Uint8Array): Uint8Array {
  const names = Object.keys(JSON.parse(Buffer.from(env).toString()));
  return Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, HIDDEN]))));
}

const HIDDEN = "***";

/** Which templates of other accounts a list includes. All of them are public. */
export interface TemplatesOfOthers {
  /** Templates that do not belong to the operator. */
  readonly ofAccounts: boolean;
  /** Templates of the operator. */
  readonly ofPlatform: boolean;
  /** Templates that an endpoint of the account uses. */
  readonly inUse: boolean;
}

/** The ids of the account's templates, then of the included ones of others, each by name. */
export function shownTemplateIds(
  engine: WithConfiguration,
  account: string,
  others: TemplatesOfOthers,
): string[] {
  const { all } = engine.configuration;
  const used = new Set(
    all("endpoint").flatMap((endpoint) => (endpoint.account === account ? [endpoint.templateId] : [])),
  );
  const isWanted = (template: StoredTemplate): boolean =>
    (template.isPlatform ? others.ofPlatform : others.ofAccounts) || (others.inUse && used.has(template.id));
  return all("template")
    .filter((template) => template.account === account || (template.isPublic && isWanted(template)))
    .sort(
      (a, b) => Number(b.account === account) - Number(a.account === account) || (a.name < b.name ? -1 : 1),
    )
    .map(({ id }) => id);
}

/** The template, if it belongs to the account. Throws TEMPLATE_NOT_FOUND. */
function templateOf(engine: WithConfiguration & WithSecrets, account: string, id: string): Template {
  const stored = engine.configuration.get("template", id);
  if (stored === undefined || stored.account !== account) throw templateNotFound(id);
  return openTemplate(engine, stored);
}

/** A registry login of another account counts as none. */
function refuseForeignLogin(
  engine: WithConfiguration,
  account: string,
  given: Partial<TemplateFields>,
): void {
  const { containerRegistryAuthId: id = "" } = given;
  if (id === "" || engine.configuration.get("registryLogin", id)?.account === account) return;
  throw unknownRegistryLogin(id);
}

function refuseUnlessRunnable(engine: WithWorkerStarts, template: Template): void {
  const refusal = engine.starts.refusal(template);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}
