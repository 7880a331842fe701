import { ForebayError } from "../../domain/errors.ts";
import { newRecordId } from "../digest.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { StoredRegistryLogin } from "./record-bodies.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";
import { NAMES_LOGIN, registryLoginNotFound } from "./needed-record.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** Used to pull a private image. It says nothing of a registry: that is the one of the image. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** All of a registry login that is ever shown. */
export type ShownRegistryLogin = Pick<StoredRegistryLogin, "id" | "name">;

/** Makes a registry login (docs/api.md, 4.B). Throws NAME_TAKEN. */
export async function createRegistryLogin(
  engine: RecordChanges,
  account: string,
  { name, username, password }: Credentials & { readonly name: string },
): Promise<ShownRegistryLogin> {
  const id = newRecordId();
  const text = Buffer.from(JSON.stringify({ username, password }));
  const sealed = Buffer.from(engine.secrets.seal(text, purposeOf("login", id))).toString("base64");
  await putRecord(engine, "registryLogin", { id, account, name, sealed });
  return { id, name };
}

/** The account's registry logins, in the order of names. */
export function registryLoginsOf(engine: WithConfiguration, account: string): ShownRegistryLogin[] {
  return engine.configuration
    .all("registryLogin")
    .filter((login) => login.account === account)
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The registry login, if it is the account's. Throws REGISTRY_LOGIN_NOT_FOUND. */
export function registryLoginOf(engine: WithConfiguration, account: string, id: string): ShownRegistryLogin {
  const stored = engine.configuration.get("registryLogin", id);
  if (stored === undefined || stored.account !== account) throw registryLoginNotFound(id);
  return { id, name: stored.name };
}

/** Username and password; undefined when there is no such login. */
export function credentialsOf(engine: WithConfiguration & WithSecrets, id: string): Credentials | undefined {
  const stored = engine.configuration.get("registryLogin", id);
  if (stored === undefined) return undefined;
  const text = engine.secrets.open(Buffer.from(stored.sealed, "base64"), purposeOf("login", id));
  return JSON.parse(Buffer.from(text).toString());
}

/** Removes a registry login. Throws REGISTRY_LOGIN_NOT_FOUND, and IN_USE while a template names it. */
export async function deleteRegistryLogin(engine: RecordChanges, account: string, id: string): Promise<void> {
  registryLoginOf(engine, account, id);
  const removal = { step: "remove", kind: "registryLogin", id, unlessNamedBy: NAMES_LOGIN } as const;
  const [answer] = await engine.store.apply([removal], engine.clock.now());
  await engine.configuration.refresh();
  if (answer.outcome === "absent") throw registryLoginNotFound(id);
  if (answer.outcome === "removed") return;
  const { length } = engine.configuration
    .all("template")
    .filter((template) => template.containerRegistryAuthId === id);
  throw new ForebayError(
    "IN_USE",
    `Registry login ${id} is used by ${length === 1 ? "1 template" : `${length} templates`}. ` +
      "First give them another containerRegistryAuthId, or delete them.",
  );
}
