import { type ApiKey, DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { digestOf, newRecordId, newSecret } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { putRecord } from "./put-record.ts";

/** Makes the first key of an empty server and answers it; undefined when there is a key already. */
export async function createFirstKey(engine: Engine): Promise<string | undefined> {
  if (engine.configuration.all("key").length > 0) return undefined;
  if (engine.configuration.get("account", DEFAULT_ACCOUNT.id) === undefined) {
    await putRecord(engine, "account", DEFAULT_ACCOUNT);
  }
  const secret = newSecret("fbk");
  const key: ApiKey = {
    id: newRecordId(),
    account: DEFAULT_ACCOUNT.id,
    name: "admin",
    digest: digestOf(secret),
  };
  await putRecord(engine, "key", key);
  return secret;
}
