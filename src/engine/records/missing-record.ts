import { ForebayError } from "../../domain/errors.ts";

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
