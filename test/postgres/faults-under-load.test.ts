import { describe, expect, test } from "bun:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { START } from "../contract/queue.ts";
import { bytes } from "../model/bytes.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { stepsOf } from "../model/steps.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { until } from "../support/until.ts";

const ENDPOINT = "under-load";
const FAULTS = 50;

/** A queue that has not moved by then after a fault stands still. ms */
const STANDS_STILL = 60_000;

const END_BACKENDS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'forebay'`;

const END_ONE_BACKEND = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'forebay' ORDER BY random() LIMIT 1`;

// What a crash of the database does to what two servers on it have acknowledged.
describe("faults under load", () => {
  const postgres = suitePostgres();

  test("P1, P4: nothing acknowledged is lost, no job ends twice, and the counters agree", async () => {
    const { url, giveBack } = await postgres().lendDatabase();
    const stores = [await openPostgresStore(storeOptions(url)), await openPostgresStore(storeOptions(url))];
    const load = new Load(stores);
    await load.begin();
    for (let fault = 0; fault < FAULTS; fault++) {
      await breakSomething(fault);
      const before = load.submitted.size + load.accepted;
      await until(
        "the queue moves again",
        () => load.submitted.size + load.accepted > before + 50,
        STANDS_STILL,
      );
    }
    await load.end();

    expect([...load.refusals]).toEqual(["STORAGE_UNAVAILABLE"]);
    expect([...load.ends.values()].filter((ends) => ends > 1)).toEqual([]);
    const [store] = stores;
    for (const id of load.submitted) expect((await store?.job(ENDPOINT, id))?.state).toBe("COMPLETED");
    const counts = await store?.counts(ENDPOINT);
    expect(counts).toMatchObject({ queued: 0, running: 0, failed: 0, queuedBytes: 0 });
    // A call that was cut off may have happened as well.
    expect(counts?.completed).toBeGreaterThanOrEqual(load.submitted.size);
    for (const open of stores) await open.close();
    await giveBack();
  }, 300_000);

  async function breakSomething(fault: number): Promise<void> {
    if (fault % 4 === 0) await postgres().run(END_BACKENDS);
    else if (fault % 4 < 3) await postgres().run(END_ONE_BACKEND);
    else {
      postgres().stop("immediate");
      postgres().start();
    }
  }
});

/** Submits and works off jobs on several stores, and remembers what was acknowledged. */
class Load {
  readonly submitted = new Set<string>();
  /** Accepted results of each job. */
  readonly ends = new Map<string, number>();
  readonly refusals = new Set<unknown>();
  accepted = 0;
  readonly #stores: readonly Store[];
  readonly #steps = stepsOf(ENDPOINT);
  readonly #over = new AbortController();
  #position = 0;
  #running: Promise<void>[] = [];

  constructor(stores: readonly Store[]) {
    this.#stores = stores;
  }

  async begin(): Promise<void> {
    await this.#stores[0]?.apply([{ step: "put", record: endpointRecord(ENDPOINT) }], START);
    this.#running = this.#stores.flatMap((store, n) => [
      ...Array.from({ length: 4 }, () => this.#submit(store)),
      ...Array.from({ length: 4 }, (_, m) => this.#work(store, `worker-${n}-${m}`)),
    ]);
  }

  /** Stops submitting, and works off what is left: what was handed out and never heard of goes out again. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#running);
    const [store] = this.#stores;
    if (store === undefined) return;
    for (;;) {
      const running = await store.unfinished(ENDPOINT, "IN_PROGRESS", Number.MAX_SAFE_INTEGER, 500);
      for (const job of running) await store.apply([this.#steps.giveBack(job.id, job.attempt)], START);
      const ended = await this.#round(store, "last", []);
      if (running.length === 0 && ended.length === 0) return;
    }
  }

  async #submit(store: Store): Promise<void> {
    while (!this.#over.signal.aborted) {
      const position = ++this.#position;
      const id = `job-${position}`;
      await store.apply([this.#steps.enqueue(id, position)], START).then(
        () => this.submitted.add(id),
        (error: unknown) => this.#refused(error),
      );
    }
  }

  async #work(store: Store, worker: string): Promise<void> {
    let held: readonly Held[] = [];
    while (!this.#over.signal.aborted) {
      try {
        held = await this.#round(store, worker, held);
      } catch (error) {
        // Reported again, as a worker does that got no answer.
        await this.#refused(error);
      }
    }
  }

  /** Reports what the worker holds and takes more, in one call. */
  async #round(store: Store, worker: string, held: readonly Held[]): Promise<readonly Held[]> {
    const results = held.map(({ id, attempt }) =>
      this.#steps.finish("complete", id, { worker, attempt, output: bytes("1") }),
    );
    const taking = this.#steps.take(worker, { count: 3 });
    const [taken, ...reported] = await store.apply([taking, ...results], START);
    for (const [index, { accepted }] of reported.entries()) {
      const id = held[index]?.id ?? "";
      if (accepted) this.ends.set(id, (this.ends.get(id) ?? 0) + 1);
      if (accepted) this.accepted++;
    }
    if (taken.length > 0 && worker === "last") await this.#round(store, worker, taken);
    return taken;
  }

  async #refused(error: unknown): Promise<void> {
    this.refusals.add(
      typeof error === "object" && error !== null && "code" in error ? error.code : String(error),
    );
    // A client waits before it tries again.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Held {
  readonly id: string;
  readonly attempt: number;
}
