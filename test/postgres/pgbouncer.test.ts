import { afterAll, beforeAll, describe } from "bun:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { atomicityContract } from "../contract/atomicity-contract.ts";
import { chunksContract } from "../contract/chunks-contract.ts";
import type { OpenStore } from "../contract/opened-store.ts";
import { payloadsContract } from "../contract/payloads-contract.ts";
import { sharedContract } from "../contract/shared-contract.ts";
import { signalsContract } from "../contract/signals-contract.ts";
import { takeContract } from "../contract/take-contract.ts";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "../support/pgbouncer.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suitePostgres } from "../support/suite-postgres.ts";

const whyNot = hasPgbouncer() ? "" : " (skipped: PgBouncer is not installed)";

describe.skipIf(!hasPgbouncer())(`through PgBouncer in transaction mode${whyNot}`, () => {
  const postgres = suitePostgres();
  let pooler: Pgbouncer | undefined;
  beforeAll(async () => {
    pooler = await startPgbouncer(postgres());
  });
  afterAll(async () => {
    await pooler?.[Symbol.asyncDispose]();
  });

  const open: OpenStore = async () => {
    if (pooler === undefined) throw new Error("the pooler is started by a hook");
    const { url, giveBack } = await postgres().lendDatabase();
    const store = await openPostgresStore({ ...storeOptions(pooler.through(url)), listenUrl: url });
    return {
      store,
      reopen: undefined,
      async dispose() {
        await store.close();
        await giveBack();
      },
    };
  };

  takeContract(open);
  chunksContract(open);
  payloadsContract(open);
  signalsContract(open);
  atomicityContract(open);
  sharedContract(open, undefined);
});
