import { expect, test } from "bun:test";
import { queueOn, START } from "../../contract/queue.ts";
import { suiteDatabases } from "../../support/suite-postgres.ts";
import { forceOrder } from "./force-order.ts";
import { openTwoStores } from "./two-stores.ts";

const postgres = suiteDatabases();

const CAP = { jobs: 1, bytes: undefined };

/** What a transaction reads behind a lock must be what the one before has committed. */
test("T6: the cap of a queue holds, whatever isolation level the database gives by default", async () => {
  for (const level of ["repeatable read", "serializable"]) {
    const database = await postgres().lendDatabase();
    const { pathname } = new URL(database.url);
    const setting = `DATABASE ${pathname.slice(1)} SET default_transaction_isolation`;
    await postgres().run(`ALTER ${setting} = '${level}'`);
    {
      await using stores = await openTwoStores({ ...database, giveBack: () => Promise.resolve() });
      const queue = await queueOn(stores.one.store);
      const enqueue = (id: string) => [queue.steps.enqueue(id, 1, { cap: CAP })] as const;
      const answers = await forceOrder(
        stores.admin,
        stores.one,
        "beforeCommit",
        () => stores.one.store.apply(enqueue("a"), START),
        () => stores.other.store.apply(enqueue("b"), START),
      );
      expect(answers).toEqual({
        first: [{ accepted: true }],
        second: [{ accepted: false, over: "jobs" }],
        hasWaited: true,
      });
    }
    await postgres().run(`ALTER ${setting} = DEFAULT`);
    await database.giveBack();
  }
});
