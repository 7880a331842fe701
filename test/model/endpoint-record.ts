import type { ConfigurationRecord } from "../../src/store/configuration-record.ts";

/** The record of an endpoint without a name; jobs can be put on it once it is written. */
export function endpointRecord(id: string, version = 1): ConfigurationRecord {
  return { kind: "endpoint", id, account: "account-1", name: null, version, body: "{}" };
}
