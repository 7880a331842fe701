import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { SCHEMA_VERSION } from "../../src/store/postgres/postgres-schema.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Queue, queueOn } from "../contract/queue.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { rejection } from "../support/rejection.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const WAITING =
  "SELECT FROM pg_stat_activity WHERE application_name = 'forebay' AND wait_event_type = 'Lock'";

const END_BACKENDS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'forebay'`;

describe("a database that goes away", () => {
  const postgres = suitePostgres();
  let database: LentDatabase;
  let store: Store;
  let queue: Queue;
  beforeEach(async () => {
    database = await postgres().lendDatabase();
    store = await openPostgresStore(storeOptions(database.url));
    queue = await queueOn(store);
  });
  afterEach(async () => {
    await store.close();
    await database.giveBack();
  });

  test("P1: with connections ended under load, what was acknowledged is there, and it heals", async () => {
    const acknowledged: string[] = [];
    const codes = new Set<unknown>();
    const over = new AbortController();
    const submitters = Array.from({ length: 8 }, async (_, n) => {
      for (let round = 0; !over.signal.aborted; round++) {
        const id = `job-${n}-${round}`;
        await queue.send(queue.steps.enqueue(id, n * 100_000 + round)).then(
          () => acknowledged.push(id),
          (error: unknown) => codes.add(codeOf(error)),
        );
      }
    });
    for (let fault = 1; fault <= 10; fault++) {
      await postgres().run(END_BACKENDS);
      const before = acknowledged.length;
      await until("it heals", () => acknowledged.length > before + 20);
    }
    over.abort();
    await Promise.all(submitters);

    expect([...codes]).toEqual(["STORAGE_UNAVAILABLE"]);
    for (const id of acknowledged) expect((await queue.job(id)).state).toBe("IN_QUEUE");
    const counts = await store.counts(queue.endpoint);
    expect(counts?.queued).toBe((await store.unfinished(queue.endpoint, "IN_QUEUE", 1e9, 1e6)).length);
  });

  test("a stopped database: calls and reads say so at once, and work again when it is back", async () => {
    const large = await store.writePayload(new Uint8Array(100_000));
    postgres().stop("immediate");
    expect(codeOf(await thrown(queue.send(queue.steps.enqueue("a", 1))))).toBe("STORAGE_UNAVAILABLE");
    expect(codeOf(await thrown(store.counts(queue.endpoint)))).toBe("STORAGE_UNAVAILABLE");
    expect(codeOf(await thrown(store.readPayload(large)))).toBe("STORAGE_UNAVAILABLE");
    postgres().start();

    await until("it heals", () => isDone(queue.send(queue.steps.enqueue("b", 2))));
    await until("reads heal", () => isDone(store.counts(queue.endpoint)));
    expect((await queue.job("b")).state).toBe("IN_QUEUE");
  });
});

describe("rows that somebody holds who stands still", () => {
  const postgres = suitePostgres();

  test("calls about them that come together are refused meanwhile; what else comes goes on", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const store = await openPostgresStore(storeOptions(url));
    const queue = await queueOn(store);
    const held = Array.from({ length: 6 }, (_, n) => `held-${n}`);
    for (const [position, id] of held.entries()) await queue.send(queue.steps.enqueue(id, position));
    const still = new SQL(url, { max: 1 });
    const holder = await still.reserve();
    await holder.unsafe("BEGIN");
    await holder.unsafe("SELECT FROM forebay.job FOR UPDATE");

    const refused: unknown[] = [];
    const cancelled = held.map(async (id) => {
      refused.push(codeOf(await thrown(queue.send(queue.steps.cancel(id)))));
    });
    await until("they wait", async () => (await postgres().run(WAITING)).length > 0);
    await queue.send(queue.steps.enqueue("free", 100));
    expect(refused).toEqual([]);
    await Promise.all(cancelled);
    expect(refused).toEqual(held.map(() => "STORAGE_UNAVAILABLE"));

    await holder.unsafe("ROLLBACK");
    for (const id of held) expect((await queue.send(queue.steps.cancel(id)))?.state).toBe("CANCELLED");
    await holder.release();
    await still.close();
    await store.close();
    await giveBack();
  });
});

describe("a large payload of which a crash of the database has cost a part", () => {
  const postgres = suitePostgres();

  test("P1: is named by no job: the submission is refused, and can be sent again", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const store = await openPostgresStore(storeOptions(url));
    const queue = await queueOn(store);
    const body = await store.writePayload(new Uint8Array(600_000));
    await postgres().run("DELETE FROM forebay.payload_part WHERE number = 2", new URL(url).pathname.slice(1));
    const refused = await thrown(queue.send(queue.steps.enqueue("a", 1, { body })));
    expect(codeOf(refused)).toBe("STORAGE_UNAVAILABLE");

    const again = await store.writePayload(new Uint8Array(600_000));
    await queue.send(queue.steps.enqueue("a", 1, { body: again }));
    expect((await queue.job("a")).state).toBe("IN_QUEUE");
    await store.close();
    await giveBack();
  });
});

describe("a server whose database goes away", () => {
  const postgres = suitePostgres();

  test("answers 503 with Retry-After until it is back, and is not ready meanwhile", async () => {
    const { url } = await postgres().lendDatabase();
    const server = await TestServer.start({ flags: { "database-url": url } });
    const endpoint = await server.endpoint();
    const submit = () => server.post(`/v2/${endpoint}/run`, { input: {} });
    postgres().stop("immediate");
    const refused = await submit();
    expect([refused.status, refused.json.code]).toEqual([503, "STORAGE_UNAVAILABLE"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    const ready = () => server.get("/readyz");
    const unready = await until("it is not ready", async () => {
      const answer = await ready();
      return answer.status === 503 && answer;
    });
    expect(unready.json).toEqual({ status: "no database" });
    expect((await server.get("/healthz")).status).toBe(200);

    postgres().start();

    await until("it heals", async () => (await submit()).status === 200);
    await until("it is ready", async () => (await ready()).status === 200);
    await server.forebay.stop();
  });
});

describe("a database that cannot be used", () => {
  const postgres = suitePostgres();

  test("a schema that a newer Forebay has written is refused", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const store = await openPostgresStore(storeOptions(url));
    await store.close();
    const database = new URL(url).pathname.slice(1);
    const newer = "version = 98, migrations = 99, requires = '7.8.9'";
    await postgres().run(`UPDATE forebay.schema SET ${newer}`, database);

    expect(await rejection(openPostgresStore(storeOptions(url)))).toBe(
      "This data was written by Forebay 7.8.9 or later (schema 99). " +
        "Start Forebay 7.8.9 or newer, or restore a backup made before the upgrade.",
    );
    const kept = await postgres().run("SELECT * FROM forebay.schema", database);
    expect(kept).toEqual([{ version: 98, migrations: 99, requires: "7.8.9" }]);
    await giveBack();
  });

  test("a later schema is served as long as it only adds to the one that this version knows", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    await (await openPostgresStore(storeOptions(url))).close();
    const database = new URL(url).pathname.slice(1);
    await postgres().run("UPDATE forebay.schema SET migrations = 99, requires = '0.2.0'", database);

    await (await openPostgresStore(storeOptions(url))).close();
    const [row] = await postgres().run<{ migrations: number }>("SELECT * FROM forebay.schema", database);
    expect(row?.migrations).toBe(99);
    await giveBack();
  });

  test("stores that open at the same time bring the schema up once", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(storeOptions(url))));
    const database = new URL(url).pathname.slice(1);
    const rows = await postgres().run<{ migrations: number }>("SELECT * FROM forebay.schema", database);
    expect(rows.map(({ migrations }) => migrations)).toEqual([SCHEMA_VERSION]);
    for (const [n, store] of stores.entries()) {
      const queue = await queueOn(store);
      await queue.send(queue.steps.enqueue("a", n));
      expect((await queue.job("a")).state).toBe("IN_QUEUE");
      await store.close();
    }
    await giveBack();
  });

  test("missing rights, a wrong name, an unknown user, a read-only server: a sentence each", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const name = new URL(url).pathname.slice(1);
    await postgres().run("CREATE ROLE stranger LOGIN");
    const of = (change: (url: string) => string) => rejection(openPostgresStore(storeOptions(change(url))));

    expect(await of((given) => given.replace("forebay@", "stranger@"))).toContain(
      "Allow the user to create a schema",
    );
    expect(await of((given) => given.replace(name, "nothing"))).toContain("Create the database");
    expect(await of((given) => given.replace("forebay@", "nobody@"))).toContain("Check the user");
    expect(await of((given) => given.replace(/:\d+\//, ":1/"))).toContain("cannot be reached");
    expect(await of(() => "mysql://host/name")).toContain("must be like postgres://");
    await postgres().run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    expect(await of((given) => given)).toContain("read-only");
    await postgres().run(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await giveBack();
  });
});

describe.each(["fsync", "full_page_writes"])("a server with %s off", (setting) => {
  const postgres = suitePostgres([`${setting} = off`]);

  test("P1: is refused, because it may lose what it has acknowledged", async () => {
    const { url } = await postgres().lendDatabase();
    expect(await rejection(openPostgresStore(storeOptions(url)))).toContain(`set ${setting} = on`);
  });
});

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : String(error);
}

async function thrown(answer: Promise<unknown>): Promise<unknown> {
  try {
    await answer;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

async function isDone(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}
