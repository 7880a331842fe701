import { type Account, DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import { newRecordId } from "../digest.ts";
import type { WithConfiguration } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** Creates an account. Throws NAME_TAKEN. */
export async function createAccount(engine: RecordChanges, name: string): Promise<Account> {
  const account: Account = { id: newRecordId(), name, createdAt: engine.clock.now() };
  await putRecord(engine, "account", account);
  return account;
}

/** Creates the default account if it is missing. Several servers may do so at the same time. */
export async function createDefaultAccount(engine: RecordChanges): Promise<void> {
  if (engine.configuration.get("account", DEFAULT_ACCOUNT.id) !== undefined) return;
  try {
    await putRecord(engine, "account", { ...DEFAULT_ACCOUNT, createdAt: engine.clock.now() });
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
  }
}

/** The account with this id, or else with this name. Throws ACCOUNT_NOT_FOUND. */
export function accountOf({ configuration }: WithConfiguration, idOrName: string): Account {
  const account =
    configuration.get("account", idOrName) ??
    configuration.all("account").find(({ name }) => name === idOrName);
  if (account === undefined) throw new ForebayError("ACCOUNT_NOT_FOUND", `There is no account ${idOrName}.`);
  return account;
}

/** All accounts, the oldest first. */
export function allAccounts({ configuration }: WithConfiguration): Account[] {
  return configuration
    .all("account")
    .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The name of the deployment, created at its first start. All its servers answer the same name. */
export async function deploymentName(engine: RecordChanges): Promise<string> {
  const present = engine.configuration.get("deployment", "deployment");
  if (present !== undefined) return present.name;
  try {
    await putRecord(engine, "deployment", { id: "deployment", name: newRecordId() });
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
  }
  return deploymentName(engine);
}
