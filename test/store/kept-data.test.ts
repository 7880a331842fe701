import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sqliteKeptData } from "../../src/store/sqlite/sqlite-kept-data.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** What a move to another store leaves behind, because it has its own: numbers of rows, and what follows. */
const LEFT = [
  "job.seq",
  "job.beside",
  "attempt.job",
  "idempotency.job",
  "payload.ref",
  "payload.bytes",
  "delivery.seq",
  "delivery.owner",
  "owner.server",
  // These rows move to the table chunk first.
  "new_chunk.seq",
  "new_chunk.job",
  "new_chunk.number",
  "new_chunk.content",
  "required.version",
  // The copy numbers its rows in the same order, and adds up their sizes.
  "history.number",
  "history_size.bytes",
];

test("forebay migrate-store reads every column that there is, or leaves it on purpose", async () => {
  await using root = await temporaryDirectory();
  const directory = join(root.path, "data");
  const onFatal = (error: Error): never => {
    throw error;
  };
  await (await openSqliteStore({ directory, onFatal })).close();
  const database = new Database(join(directory, "forebay.db"));
  const columns = database
    .query<{ name: string }, []>(
      `SELECT master.name || '.' || info.name AS name
       FROM sqlite_master AS master JOIN pragma_table_info(master.name) AS info WHERE master.type = 'table'`,
    )
    .all()
    .map(({ name }) => name);
  database.run(`
    INSERT INTO job (endpoint, id, state, position, holder, queued_at, ttl, expires_at, execution_timeout,
                     retention, due_at, low_priority, beside, body)
    VALUES ('e', 'j', 'IN_QUEUE', 1, '', 1, 1, 1, 1, 1, 1, 0, 1, x'00');
    INSERT INTO chunk VALUES (1, 0, x'00');
    INSERT INTO attempt VALUES (1, 1, '{}', '{}', '{}');
    INSERT INTO idempotency VALUES ('e', 'k', 'j', 1, NULL, x'00', 1);
    INSERT INTO record VALUES ('endpoint', 'e', 'a', 'n', 1, 1, '{}');
    INSERT INTO allocation VALUES ('d', 'c', 'h', 'w');
    INSERT INTO past_worker VALUES ('e', 'w', 'h', '[]', 1, 1);
    INSERT INTO contact VALUES ('e', 'w', 1, 1, 0, 'j', 1);
    INSERT INTO counter (endpoint) VALUES ('e');
    INSERT INTO payload (file, size) VALUES ('f', 1);
    INSERT INTO statistics VALUES ('e', 10000, 0, 's', '[]');
    INSERT INTO delivery (endpoint, id, receiver, webhook, due_at, job, job_state, queued_at, ended_at,
                          losses, size)
    VALUES ('e', 'd', 'r', x'00', 1, 'j', 'FAILED', 1, 1, 0, 0);
    INSERT INTO history (endpoint, id, state, queued_at, ended_at, attempt, input_bytes, output_bytes, size)
    VALUES ('e', 'p', 'CANCELLED', 1, 1, 0, 1, 0, 1);`);
  database.close();

  const kept = await sqliteKeptData(directory);
  const [job] = kept.jobs();
  const [delivery] = kept.deliveries();
  const { payloads: texts = {}, ...columnsOfDelivery } = delivery ?? {};
  const { payloads = {}, ...others } = job ?? {};
  const [past] = kept.history();
  const { payloads: inputs = {}, ...columnsOfPast } = past ?? {};
  const names = (table: string, ...rows: (object | undefined)[]): string[] =>
    rows.flatMap((row) => Object.keys(row ?? {})).map((name) => `${table}.${snakeCase(name)}`);
  const read = new Set([
    ...LEFT,
    ...names("job", others, payloads),
    ...names("chunk", ...kept.chunks()),
    ...names("attempt", ...kept.attempts()),
    ...names("idempotency", ...kept.idempotencyKeys()),
    ...names("record", ...kept.records()),
    ...names("allocation", ...kept.allocations()),
    ...names("past_worker", ...kept.pastWorkers()),
    ...names("contact", ...kept.contacts()),
    ...[...kept.endpoints()].flatMap(({ endpoint, counts }) => names("counter", { endpoint }, counts)),
    ...names("payload", ...kept.payloads()),
    ...names("statistics", ...kept.statistics()),
    ...names("delivery", columnsOfDelivery, texts),
    ...names("history", columnsOfPast, inputs),
    "clock.latest",
    ...names("history_size", { trimmedTo: kept.historyTrimmedTo() }),
  ]);
  await kept.close();
  expect(columns.filter((column) => !read.has(column))).toEqual([]);
});

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
