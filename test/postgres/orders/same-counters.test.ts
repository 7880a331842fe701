import { expect, test } from "bun:test";
import { SQL } from "bun";
import { bootPostgres } from "../../../src/store/postgres/postgres-boot.ts";
import { openConnection } from "../../../src/store/postgres/postgres-driver.ts";
import { GroupCommit } from "../../../src/store/postgres/postgres-group-commit.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { queueOn, START } from "../../contract/queue.ts";
import { storeOptions } from "../../support/postgres-store-options.ts";
import { suiteDatabases } from "../../support/suite-postgres.ts";
import { forceOrder } from "./force-order.ts";
import { holdPostgres } from "./held-wire.ts";

const postgres = suiteDatabases();

/** Each connection draws the number of its counters; two can draw the same. */
const SLOT = 7;

test("two servers whose connections drew the same counters add to them one after the other", async () => {
  const database = await postgres().lendDatabase();
  const store = await openPostgresStore(storeOptions(database.url));
  const queue = await queueOn(store);
  {
    await using wire = await holdPostgres(database.url);
    await using admin = new SQL(database.url, { max: 1 });
    const one = await commitsTo(wire.url);
    const other = await commitsTo(database.url);
    const { first, second, hasWaited } = await forceOrder(
      admin,
      { wire },
      "beforeCommit",
      () => one.group.apply([queue.steps.enqueue("a", 1)], START),
      () => other.group.apply([queue.steps.enqueue("b", 2)], START),
    );
    expect([first, second, hasWaited]).toEqual([[{ accepted: true }], [{ accepted: true }], true]);
    const rows = await admin.unsafe("SELECT slot, queued::int AS queued FROM forebay.counter");
    expect(rows).toEqual([{ slot: SLOT, queued: 2 }]);
    await one.close();
    await other.close();
  }
  await store.close();
  await database.giveBack();
});

async function commitsTo(url: string): Promise<{ group: GroupCommit; close(): Promise<void> }> {
  const { access, begin } = await bootPostgres(url);
  const connection = openConnection(access);
  const group = new GroupCommit({
    connections: [{ connection, slot: SLOT }],
    begin,
    isDigested: () => true,
    onCommitted: () => undefined,
    onCommit: undefined,
    onTransaction: undefined,
  });
  const close = async (): Promise<void> => {
    await group.close();
    await connection.close();
  };
  return { group, close };
}
