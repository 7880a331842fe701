import { createAccount, listAccounts } from "./manage/accounts.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./manage/keys.ts";
import { rotateSecrets } from "./manage/secrets.ts";

/** The commands that manage accounts and keys of a server, by name. */
export const MANAGE_COMMANDS = {
  "accounts list": listAccounts,
  "accounts create": createAccount,
  "keys list": listKeys,
  "keys create": createKey,
  "keys rotate": rotateKey,
  "keys revoke": revokeKey,
  "secrets rotate": rotateSecrets,
};
