import { ForebayError } from "../../domain/errors.ts";
import type { RecordPlace, RecordReference } from "../../store/configuration-record.ts";
import type { RecordBodies } from "./record-bodies.ts";

/** Who names a template: it stays as long as one does. */
export const NAMES_TEMPLATE: RecordReference = { kind: "endpoint", member: "templateId" };

/** Who names a registry login. */
export const NAMES_LOGIN: RecordReference = { kind: "template", member: "containerRegistryAuthId" };

/** A record that another one names, and what is said when it is not there. */
export interface NeededRecord {
  readonly place: RecordPlace;
  readonly missing: (id: string) => ForebayError;
}

const NEEDED: { readonly [K in keyof RecordBodies]?: (body: RecordBodies[K]) => NeededRecord | undefined } = {
  endpoint: ({ templateId = "" }) => needed("template", templateId, templateNotFound),
  template: ({ containerRegistryAuthId: id }) => needed("registryLogin", id, unknownRegistryLogin),
};

/**
 * What the record needs and the one before it did not; undefined when there is nothing. What it has named
 * before has stayed because of that, and need not be looked at.
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

/** Not there, and not yours, are one. */
export function templateNotFound(id: string): ForebayError {
  return new ForebayError("TEMPLATE_NOT_FOUND", `There is no template ${id}.`);
}

/** The same of a registry login that a path names. */
export function registryLoginNotFound(id: string): ForebayError {
  return new ForebayError("REGISTRY_LOGIN_NOT_FOUND", `There is no registry login ${id}.`);
}

/** The same of one that a template is to name. */
export function unknownRegistryLogin(id: string): ForebayError {
  return new ForebayError(
    "INVALID_FIELD",
    `containerRegistryAuthId: the account has no registry login ${JSON.stringify(id)}.`,
  );
}
