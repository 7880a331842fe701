import { ForebayError } from "../../domain/errors.ts";
import { isConfiguredHost } from "../../domain/host.ts";
import type { RecordPlace, RecordReference } from "../../store/configuration-record.ts";
import type { RecordBodies } from "./record-bodies.ts";

/** Records that name a template: it cannot be deleted while there is one. */
export const NAMES_TEMPLATE: RecordReference = { kind: "endpoint", member: "templateId" };

/** Records that name a registry login. */
export const NAMES_LOGIN: RecordReference = { kind: "template", member: "containerRegistryAuthId" };

/** Workers that Forebay started: their host cannot be deleted while there is one. */
export const NAMES_HOST: RecordReference = { kind: "worker", member: "host" };

/** A record that another one names, and the error if it does not exist. */
export interface NeededRecord {
  readonly place: RecordPlace;
  readonly missing: (id: string) => ForebayError;
}

const NEEDED: { readonly [K in keyof RecordBodies]?: (body: RecordBodies[K]) => NeededRecord | undefined } = {
  endpoint: ({ templateId = "" }) => needed("template", templateId, templateNotFound),
  template: ({ containerRegistryAuthId: id }) => needed("registryLogin", id, unknownRegistryLogin),
  worker: ({ host = "" }) => needed("host", isConfiguredHost(host) ? "" : host, hostNotFound),
};

/**
 * The record that this one needs and its present version does not; undefined if there is none. What the
 * present version names cannot have been deleted.
 */
export function newlyNeeded<K extends keyof RecordBodies>(
  kind: K,
  body: RecordBodies[K],
  before: RecordBodies[K] | undefined,
): NeededRecord | undefined {
  const now = NEEDED[kind]?.(body);
  const then = before === undefined ? undefined : NEEDED[kind]?.(before);
  return now?.place.id === then?.place.id ? undefined : now;
}

function needed(
  kind: RecordPlace["kind"],
  id: string,
  missing: NeededRecord["missing"],
): NeededRecord | undefined {
  return id === "" ? undefined : { place: { kind, id }, missing };
}

/** The answer is the same if the record belongs to another account. */
export function templateNotFound(id: string): ForebayError {
  return new ForebayError("TEMPLATE_NOT_FOUND", `There is no template ${id}.`);
}

/** The error for a host in a path, and for one that was deleted before a worker could start there. */
export function hostNotFound(name: string): ForebayError {
  return new ForebayError("HOST_NOT_FOUND", `There is no host ${name}.`);
}

/** The error for a registry login in a path. */
export function registryLoginNotFound(id: string): ForebayError {
  return new ForebayError("REGISTRY_LOGIN_NOT_FOUND", `There is no registry login ${id}.`);
}

/** The error for a registry login that a template names. */
export function unknownRegistryLogin(id: string): ForebayError {
  return new ForebayError(
    "INVALID_FIELD",
    `containerRegistryAuthId: the account has no registry login ${JSON.stringify(id)}.`,
  );
}
