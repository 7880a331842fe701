import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Queue, queueOn, START } from "../contract/queue.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { bytes } from "../model/bytes.ts";
import { forget } from "../model/forget.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suitePostgres } from "../support/suite-postgres.ts";

/** Each plan that is run goes to the log of the server. */
const EXPLAIN = [
  "shared_preload_libraries = 'auto_explain'",
  "auto_explain.log_min_duration = 0",
  "auto_explain.log_level = log",
];

/** Tables that grow with the jobs: reading one from its beginning to its end must not happen. */
const GROWING = [
  "job",
  "history",
  "attempt",
  "chunk",
  "idempotency",
  "payload",
  "payload_part",
  "past_worker",
];

const PAST = { host: "host", gpus: [], startedAt: START };

describe("every statement on PostgreSQL has a plan that reads few rows", () => {
  const postgres = suitePostgres(EXPLAIN);
  let database: LentDatabase;
  let store: Store;
  let queue: Queue;
  let begin: number;
  beforeEach(async () => {
    database = await postgres().lendDatabase();
    store = await openPostgresStore(storeOptions(database.url));
    queue = await queueOn(store);
    begin = log().length;
  });
  afterEach(async () => {
    await store.close();
    await database.giveBack();
  });

  test("every statement of a job's life finds its rows by an index, without statistics", async () => {
    await liveThrough();
    expect(sequentialScans()).toEqual([]);
  });

  test("and so on tables with many rows and statistics", async () => {
    await postgres().run(
      `INSERT INTO forebay.job (endpoint, id, state, position, holder, queued_at, ttl, expires_at,
                                execution_timeout, retention, due_at, bytes, body)
       SELECT '${queue.endpoint}', 'old-' || n, 'IN_QUEUE', n, '', ${START}, 1, ${START * 2}, 1, 1,
              ${START * 2}, 1, '\\x31' FROM generate_series(1, 50000) AS n`,
      new URL(database.url).pathname.slice(1),
    );
    await postgres().run("ANALYZE", new URL(database.url).pathname.slice(1));
    begin = log().length;
    await liveThrough();

    expect(sequentialScans()).toEqual([]);
  });

  test("a purge finds each row by its key, also when it was planned for an empty queue", async () => {
    await queue.send(queue.steps.purge());

    const [purge = "", ...others] = plans().filter((plan) => plan.includes("oldest"));
    expect(others).toEqual([]);
    expect(purge.match(/Index Cond: \(\(endpoint = .* AND \(id = /g)).toHaveLength(2);
    expect(purge).not.toContain("Join Filter");
  });

  test("a hand-out reads the queue in its order, and sorts nothing", async () => {
    await queue.sendAll([queue.steps.enqueue("a", 1), queue.steps.enqueue("b", 2)]);
    begin = log().length;
    await queue.send(queue.steps.take("worker"));

    const handOut = plans().find((plan) => plan.includes("SKIP LOCKED"));
    expect(handOut).toContain("Index Scan using job_held");
    expect(handOut?.split("Plan:")[1] ?? handOut).not.toContain("Sort Key");
  });

  test("decision 0028: submit, hand-out and result write no attempts, a return does", async () => {
    const { steps } = queue;
    await queue.send(steps.enqueue("a", 1));
    await queue.send(steps.take("worker"));
    await queue.send(steps.finish("complete", "a"));
    expect(plans().length).toBeGreaterThan(3);
    expect(plans().filter((plan) => plan.includes("forebay.attempt"))).toEqual([]);
    await queue.sendAll([steps.enqueue("b", 2), steps.take("worker"), steps.giveBack("b", 1)]);
    expect(plans().filter((plan) => plan.includes("forebay.attempt"))).toHaveLength(1);
  });

  async function liveThrough(): Promise<void> {
    const { steps } = queue;
    const key = { key: "key", digest: new Uint8Array(32), until: START + 1 };
    const large = await store.writePayload(new Uint8Array(300_000));
    await queue.sendAll([
      steps.enqueue("a", 1, { idempotency: key, body: large }),
      steps.enqueue("b", 2),
      steps.enqueue("c", 3),
    ]);
    await queue.send(steps.take("worker", { count: 2 }));
    await queue.send(steps.seen("worker", ["a", "b"]));
    await queue.sendAll([
      steps.append("a", "worker", [bytes("1")]),
      steps.progress("b", "worker", bytes("1")),
    ]);
    await queue.send(steps.drain("a"));
    await queue.send(steps.giveBack("b", 1));
    await queue.send(steps.noteColdStart("a", 1, START));
    await queue.send(steps.finish("fail", "a"));
    await queue.send(steps.retry("a", 4));
    await queue.send(steps.setTtl("a", START + 1_000_000));
    await queue.send(steps.cancel("c"));
    await queue.send(steps.purge());
    await queue.sendAll([
      { step: "put", record: { ...endpointRecord("worker"), kind: "worker" } },
      { step: "remove", kind: "worker", id: "worker", past: { ...PAST, endpoint: queue.endpoint } },
    ]);
    await historyThrough();
    await queue.send({ ...forget(), history: { all: [], none: [] } }, START * 1.5);
    await store.job(queue.endpoint, "a");
    await store.timeline(queue.endpoint, "a", 1_000);
    await store.body(queue.endpoint, "a");
    await store.due(START * 1.5, 10);
    await store.silent(START * 1.5, 10);
    await store.held(queue.endpoint, "worker");
    await store.stopping(queue.endpoint, "worker");
    await store.shared?.stopping([{ endpoint: queue.endpoint, worker: "worker" }]);
    await store.unfinished(queue.endpoint, "IN_QUEUE", 10, 10);
    await store.unfinished(queue.endpoint, "IN_PROGRESS", 10, 10);
    await store.waitingSince(queue.endpoint, 10, 1_000);
    await store.queues();
    await store.submitted(queue.endpoint, undefined, undefined, 10, 10);
    await store.submitted(queue.endpoint, "FAILED", undefined, 10, 10);
    await store.workers(queue.endpoint, 0);
    await store.pastWorkers(queue.endpoint, ["worker"]);
    await store.counts(queue.endpoint);
    await store.readPayload(large).catch(() => undefined);
  }

  async function historyThrough(): Promise<void> {
    const { steps, endpoint } = queue;
    const names = ["h", "i"].map((id) => ({ endpoint, id }));
    await queue.sendAll(names.map(({ id }, index) => steps.enqueue(id, 10 + index)));
    await queue.sendAll(names.map(({ id }) => steps.finish("timeOut", id, { error: bytes('"late"') })));
    await queue.send({ step: "recordEnded", jobs: names, inputs: { all: [], none: [] } });
    await queue.send(steps.retry("h", 12));
    await queue.send(steps.cancel("h"));
    const filter = { endpoints: [endpoint], error: "late", from: START, tag: "x", idPrefix: "i" };
    await store.history(filter, undefined, 10, 100);
    await store.history({ endpoints: [endpoint], states: ["COMPLETED"] }, undefined, 10, 100);
    await store.pastJob(endpoint, "i");
    await store.pastInput(endpoint, "i");
    await store.pastEndpoints();
    await queue.send({ step: "trimHistory", before: START, maxBytes: 0, limit: 1 });
    await queue.send({ step: "clearHistory", endpoint, limit: 1 });
  }

  function log(): string {
    return readFileSync(join(postgres().directory, "log"), "utf8");
  }

  /** Statements with their plans, since `begin`. */
  function plans(): string[] {
    return log()
      .slice(begin)
      .split(/^\d{4}-\d\d-\d\d .*?LOG: {2}duration/m);
  }

  function sequentialScans(): string[] {
    const pattern = new RegExp(`Seq Scan on (${GROWING.join("|")})\\b`);
    const ours = plans().filter((plan) => plan.includes("forebay.") && !plan.includes("generate_series"));
    expect(ours.length).toBeGreaterThan(10);
    return ours.filter((plan) => pattern.test(plan));
  }
});
