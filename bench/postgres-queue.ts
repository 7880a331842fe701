import { SQL } from "bun";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import type { Store } from "../src/store/store.ts";
import { queueOn, START } from "../test/contract/queue.ts";
import { stepsOf } from "../test/model/steps.ts";
import { storeOptions } from "../test/support/postgres-store-options.ts";
import { type MeasuredPostgres, startMeasuredPostgres } from "./measured-postgres.ts";

/** A queue of the store on PostgreSQL alone, without a server in front. */
export interface PostgresQueue extends AsyncDisposable {
  readonly store: Store;
  readonly endpoint: string;
  readonly postgres: MeasuredPostgres;
  readonly body: Uint8Array;
  /** Asks the database past the store. */
  row<Row>(text: string): Promise<Row>;
  /** A step that submits a job. */
  submission(retention?: number): ReturnType<ReturnType<typeof stepsOf>["enqueue"]>;
  /** Writes rows until so many jobs wait. */
  fillUpTo(waiting: number): Promise<void>;
  /** Has 64 submitters and 64 takers work off so many jobs at the time of `now`; jobs a second. */
  wholeJobs(count: number, now?: () => number, retention?: number): Promise<number>;
}

const AT_ONCE = 64;

export async function openPostgresQueue(): Promise<PostgresQueue> {
  const postgres = await startMeasuredPostgres();
  const database = new SQL(postgres.url, { max: 1 });
  const store = await openPostgresStore(storeOptions(postgres.url));
  const { endpoint } = await queueOn(store);
  const { enqueue, take, finish } = stepsOf(endpoint);
  const body = new TextEncoder().encode(JSON.stringify({ input: { text: "x".repeat(230) } }));
  /** Behind all that waits from the beginning. */
  let position = 100_000_000;

  function submission(retention = 60_000) {
    return enqueue(nextId(), position, { body, retention });
  }

  /** As ids are: in the order of time. */
  function nextId(): string {
    return `01a1ff79-12d4-7000-a950-${(++position).toString(16).padStart(12, "0")}-u1`;
  }

  async function work(worker: string, left: { jobs: number }, now: () => number): Promise<void> {
    let held: readonly { readonly id: string; readonly attempt: number }[] = [];
    while (left.jobs > 0) {
      const results = held.map(({ id, attempt }) =>
        finish("complete", id, { worker, attempt, output: body }),
      );
      const [taken] = await store.apply([take(worker), ...results], now());
      left.jobs -= held.length;
      held = taken;
      if (taken.length === 0) await Bun.sleep(1);
    }
  }

  return {
    store,
    endpoint,
    postgres,
    body,
    submission,

    async row<Row>(text: string) {
      const [row] = await database.unsafe<Row[]>(text);
      if (row === undefined) throw new Error(`nothing came of ${text}`);
      return row;
    },

    async fillUpTo(waiting) {
      const there = (await store.counts(endpoint))?.queued ?? 0;
      const rows = Math.max(0, waiting - there);
      const first = position + 1;
      position += rows;
      await database.unsafe(
        `INSERT INTO forebay.job (endpoint, id, state, position, holder, queued_at, ttl, expires_at,
                                  execution_timeout, retention, due_at, bytes, body)
         SELECT $1, '01a1ff79-12d4-7000-a950-' || lpad(to_hex(n), 12, '0') || '-u1', 'IN_QUEUE', n, '', $2,
                1, $2 * 2, 600000, 60000, $2 * 2, length($3::bytea), $3
         FROM generate_series($4::bigint, $5::bigint) AS n`,
        [endpoint, START, body, first, position],
      );
      await database.unsafe(
        `UPDATE forebay.counter SET queued = queued + $1
         WHERE slot = (SELECT min(slot) FROM forebay.counter)`,
        [rows],
      );
      await database.unsafe("CHECKPOINT");
    },

    async wholeJobs(count, now = () => START, retention = 60_000) {
      const left = { jobs: count };
      let submitted = 0;
      const startedAt = performance.now();
      const submitters = Array.from({ length: AT_ONCE }, async () => {
        while (submitted++ < count) await store.apply([submission(retention)], now());
      });
      const workers = Array.from({ length: AT_ONCE }, (_, n) => work(`worker-${n}`, left, now));
      await Promise.all([...submitters, ...workers]);
      return count / ((performance.now() - startedAt) / 1_000);
    },

    async [Symbol.asyncDispose]() {
      await store.close();
      await database.close();
      await postgres.stop();
    },
  };
}
