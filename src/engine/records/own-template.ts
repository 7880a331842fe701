import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type Template, TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import type { RecordAccess } from "./configuration.ts";
import { createEndpoint, type EndpointChanges, type NewEndpoint, updateEndpoint } from "./endpoints.ts";
import { endpointOf } from "./find-endpoint.ts";
import { NAMES_TEMPLATE } from "./needed-record.ts";
import { openEnv } from "./sealed-env.ts";
import { createTemplate, type Templates, usableTemplateOf } from "./templates.ts";
import { forgetTemplateUse } from "./template-uses.ts";

/**
 * What the container of an endpoint is started from, where the endpoint says it itself. Such an endpoint has
 * a template of its own: it is replaced with each change of the container, and deleted with the endpoint.
 */
export type Container = Partial<
  Pick<Template, "imageName" | "dockerStartCmd" | "containerDiskInGb" | "ports" | "containerRegistryAuthId">
>;

/**
 * Creates an endpoint on `templateId`, or on a template of its own if `container` sets a member: a copy of
 * `templateId`, or else a new one. Throws what `createEndpoint` and `createTemplate` throw.
 */
export async function createEndpointWithContainer(
  engine: Templates,
  account: string,
  given: NewEndpoint,
  container: Container,
): Promise<Endpoint> {
  if (isEmpty(container)) return createEndpoint(engine, account, given);
  const id = newRecordId();
  const base = baseOf(engine, account, given.templateId);
  const env = joined(base?.env, given.env);
  return withOwnTemplate(engine, { account, endpoint: id, base, container }, (templateId) =>
    createEndpoint(engine, account, { ...given, id, templateId, env }),
  );
}

/**
 * Changes an endpoint. If `container` sets a member, the endpoint gets a template of its own: a copy of
 * `templateId`, or else of its present one. Workers are replaced once, whatever changes. Throws what
 * `updateEndpoint` and `createTemplate` throw.
 */
export async function updateEndpointWithContainer(
  engine: Templates,
  { account, id }: Pick<Endpoint, "account" | "id">,
  given: EndpointChanges,
  container: Container,
): Promise<Endpoint> {
  const present = endpointOf(engine, account, id);
  const updated = await (isEmpty(container)
    ? updateEndpoint(engine, account, id, given)
    : updateOnOwnTemplate(engine, present, given, container));
  const { templateId = "" } = present;
  if (updated.templateId !== templateId && ownerOf(templateId) === id) await remove(engine, templateId);
  return updated;
}

/** Deletes the templates of its own that a deleted endpoint has left. Those that others are on stay. */
export async function deleteOwnTemplates(engine: RecordAccess, endpoint: string): Promise<void> {
  const own = engine.configuration.all("template").filter(({ id }) => ownerOf(id) === endpoint);
  for (const { id } of own) await remove(engine, id);
}

/**
 * Deletes the own templates that no endpoint is on: those of endpoints that `/v1` has moved to another
 * template, that were deleted while another endpoint was on it, and of calls that a stop has cut off. They
 * stay for a minute, because the call that creates one may not have written its endpoint yet. `leftSince`
 * keeps, from one call to the next, since when each is left, ms since 1970.
 */
export async function forgetLeftTemplates(
  engine: RecordAccess,
  leftSince: Map<string, number>,
): Promise<void> {
  const { configuration, clock } = engine;
  const named = new Set(configuration.all("endpoint").map(({ templateId }) => templateId));
  const left = configuration.all("template").filter(({ id }) => ownerOf(id) !== undefined && !named.has(id));
  const ids = new Set(left.map(({ id }) => id));
  for (const id of leftSince.keys()) if (!ids.has(id)) leftSince.delete(id);
  for (const id of ids) {
    const since = leftSince.get(id) ?? clock.now();
    leftSince.set(id, since);
    if (clock.now() >= since + LEFT_FOR) await remove(engine, id);
  }
}

/** Longer than any call takes from the creation of a template to its endpoint, ms. */
const LEFT_FOR = 60_000;

/** The endpoint whose own template this is; undefined for a template that somebody has created. */
export function ownerOf(template: string): string | undefined {
  const end = template.lastIndexOf(OWN);
  return end === -1 ? undefined : template.slice(0, end);
}

/** Stands between the id of the endpoint and the rest. No id of another template has it. */
const OWN = "-";

async function updateOnOwnTemplate(
  engine: Templates,
  present: Endpoint,
  given: EndpointChanges,
  container: Container,
): Promise<Endpoint> {
  const { account, id: endpoint } = present;
  const version = engine.configuration.version("endpoint", endpoint);
  const base = baseOf(engine, account, given.templateId ?? present.templateId);
  // The variables of the copied template become the endpoint's, unless the call replaces them.
  const copied = given.env === undefined || Boolean(given.templateId) ? base?.env : {};
  const env = joined(copied, given.env ?? openEnv(engine, present));
  return withOwnTemplate(engine, { account, endpoint, base, container }, (templateId) =>
    updateEndpoint(engine, account, endpoint, { ...given, templateId, env }, version),
  );
}

/** Those of the template, then those of the endpoint. Throws INVALID_FIELD if they are too large together. */
function joined(template: Variables, endpoint: Variables): Readonly<Record<string, string>> {
  const env = { ...template, ...endpoint };
  const size = Buffer.byteLength(JSON.stringify(env));
  if (size <= LARGEST_ENV) return env;
  throw new ForebayError(
    "INVALID_FIELD",
    `env: the variables of the template and of the endpoint have ${size} bytes together, and the limit is ` +
      `${LARGEST_ENV}. Set templateId alone, or choose a template with fewer variables.`,
  );
}

type Variables = Readonly<Record<string, string>> | null | undefined;

/** As much as the body of one call can set, bytes of JSON. */
const LARGEST_ENV = 1_048_576;

interface OwnTemplate {
  readonly account: string;
  readonly endpoint: string;
  /** What is copied; undefined: nothing. */
  readonly base: Template | undefined;
  readonly container: Container;
}

/** Creates the template, and deletes it again if the endpoint cannot be written. */
async function withOwnTemplate(
  engine: Templates,
  { account, endpoint, base, container }: OwnTemplate,
  write: (templateId: string) => Promise<Endpoint>,
): Promise<Endpoint> {
  const id = `${endpoint}${OWN}${newRecordId()}`;
  const { imageName = base?.imageName } = container;
  if (imageName === undefined) {
    throw new ForebayError("INVALID_FIELD", "image: is required, because the endpoint has no template.");
  }
  const set = Object.fromEntries(Object.entries(container).filter(([, value]) => value !== undefined));
  const fields = {
    ...TEMPLATE_DEFAULTS,
    volumeInGb: 0,
    ...base,
    ...set,
    id,
    name: id,
    imageName,
    env: {},
    readme: "",
  };
  await createTemplate(engine, account, {
    ...fields,
    isServerless: true,
    isPublic: false,
    isPlatform: false,
  });
  try {
    return await write(id);
  } catch (error) {
    await remove(engine, id);
    throw error;
  }
}

/** Deletes the template, unless an endpoint is on it. */
async function remove(engine: RecordAccess, id: string): Promise<void> {
  const removal = { step: "remove", kind: "template", id, unlessNamedBy: NAMES_TEMPLATE } as const;
  const [answer] = await engine.store.apply([removal], engine.clock.now());
  if (answer.outcome !== "inUse") await forgetTemplateUse(engine, id);
}

/** Throws TEMPLATE_NOT_FOUND, and INVALID_FIELD for a template whose variables the account cannot see. */
function baseOf(engine: Templates, account: string, id: string | null | undefined): Template | undefined {
  if (id === undefined || id === null || id === "") return undefined;
  const template = usableTemplateOf(engine, account, id);
  if (engine.configuration.get("template", id)?.account === account) return template;
  throw new ForebayError(
    "INVALID_FIELD",
    "templateId: only a template of this account can be combined with image, args, disk, ports or " +
      "registry. Set templateId alone, or leave it out and set image.",
  );
}

function isEmpty(container: Container): boolean {
  return Object.values(container).every((value) => value === undefined);
}
