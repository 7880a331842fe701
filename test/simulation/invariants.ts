import type { MemoryDatabase, MemoryDelivery } from "../../src/store/memory/memory-database.ts";
import type { MemoryJob } from "../../src/store/memory/memory-job.ts";
import type { Step } from "../../src/store/steps.ts";
import { wrongMove } from "./legal-moves.ts";

/** Steps that come within this, ms, can be in one commit, and an outage can hold it up. */
const TOGETHER = 20;

const ENDPOINTS = ["e0", "e1"];

interface Totals {
  queued: number;
  running: number;
  queuedBytes: number;
  completed: number;
}

/** Looks into the data after each step, and says what is not as docs/states.md promises. */
export class Invariants {
  readonly faults: string[] = [];
  /** Jobs that were ever there. */
  readonly #ever = new Set<string>();
  #jobs = new Map<string, MemoryJob>();
  #deliveries = new Map<string, MemoryDelivery>();
  /** How many webhooks each end has. */
  readonly #delivered = new Map<string, number>();
  readonly #keys = new Map<string, string>();
  readonly #purged = new Set<string>();
  /** When jobs were on their way into the data, and purges: a server can crash after a commit with both. */
  readonly #submitted = new Map<string, number>();
  readonly #purges: { readonly endpoint: string; readonly at: number }[] = [];
  readonly #waitingSince = new Map<string, number>();
  /** When a step was on its way that puts the job into the queue. */
  readonly #returned = new Map<string, number>();
  /** When a step was on its way that says what a worker reported of the job. */
  readonly #reported = new Map<string, number>();
  #hasChanged = false;
  readonly #totals = new Map<string, Totals>();
  /** Jobs with a webhook that was given up: its receiver need not have seen it. */
  readonly givenUp = new Set<string>();
  /** Ids of webhooks that a receiver has acknowledged. */
  readonly acknowledgedWebhooks = new Set<string>();

  readonly #database: MemoryDatabase;
  readonly #onMove: (name: string) => void;
  readonly #onChange: (before: MemoryJob | undefined, job: MemoryJob) => string | undefined;
  readonly #now: () => number;

  /** `onChange` looks at each change of a job, and says what is wrong with it. */
  constructor(
    database: MemoryDatabase,
    onMove: (name: string) => void,
    onChange: (before: MemoryJob | undefined, job: MemoryJob) => string | undefined,
    now: () => number,
  ) {
    this.#now = now;
    this.#database = database;
    this.#onMove = onMove;
    this.#onChange = onChange;
  }

  /** Steps on their way into a commit, which can have several about one job. */
  applying(steps: readonly Step[], now: number): void {
    for (const step of steps) {
      if (step.step === "giveBack" || step.step === "retry") {
        this.#returned.set(`${step.endpoint}/${step.id}`, now);
      }
      if (step.step === "finish" && step.worker !== undefined) {
        this.#reported.set(`${step.endpoint}/${step.id}`, now);
      }
      if (step.step === "enqueue") this.#submitted.set(`${step.endpoint}/${step.id}`, now);
      if (step.step === "purge") this.#purges.push({ endpoint: step.endpoint, at: now });
    }
  }

  /** What a purge has removed, also if it came and went in one commit. */
  purged(endpoint: string, ids: readonly string[]): void {
    for (const id of ids) this.#purged.add(`${endpoint}/${id}`);
  }

  /** A client was told that it has this job. */
  acknowledged(endpoint: string, id: string): void {
    const key = `${endpoint}/${id}`;
    if (this.#ever.has(key) || this.#purged.has(key) || this.#isThere(endpoint, id)) return;
    if (!this.#canBePurged(endpoint, key)) this.faults.push(`job ${id} was acknowledged and is not stored`);
  }

  #canBePurged(endpoint: string, key: string): boolean {
    const submitted = this.#submitted.get(key) ?? -Infinity;
    return this.#purges.some((one) => one.endpoint === endpoint && Math.abs(one.at - submitted) < TOGETHER);
  }

  #isThere(endpoint: string, id: string): boolean {
    for (const job of this.#database.jobs.all()) if (job.id === id && job.endpoint === endpoint) return true;
    return false;
  }

  get unfinished(): readonly MemoryJob[] {
    return [...this.#jobs.values()].filter(({ ended_at: endedAt }) => endedAt === null);
  }

  /** Whether the job is stored. A server whose clock is ahead can say earlier that its time is over. */
  has(id: string): boolean {
    return ENDPOINTS.some((endpoint) => this.#jobs.has(`${endpoint}/${id}`));
  }

  /** How often the job was handed out. */
  attemptOf(endpoint: string, id: string): number | undefined {
    return this.#jobs.get(`${endpoint}/${id}`)?.attempt;
  }

  /** When the job was first seen waiting, by the clock of the world: those of servers can differ. */
  waitingSince({ endpoint, id }: MemoryJob): number {
    return this.#waitingSince.get(`${endpoint}/${id}`) ?? Infinity;
  }

  /** When a step was on its way that takes the job from its worker, or shows that this has stopped. */
  leftAt({ endpoint, id }: MemoryJob): number {
    const key = `${endpoint}/${id}`;
    return Math.max(this.#returned.get(key) ?? 0, this.#reported.get(key) ?? 0);
  }

  get pendingWebhooks(): number {
    return [...this.#deliveries.values()].filter(({ state }) => state === "PENDING").length;
  }

  check(): void {
    this.#hasChanged = false;
    const ended = this.#checkJobs();
    this.#checkDeliveries(ended);
    if (!this.#hasChanged) return;
    this.#checkCounts();
    this.#checkKeys();
  }

  /** The jobs that have ended since the last check. A change makes another row: most rows are skipped. */
  #checkJobs(): MemoryJob[] {
    const ended: MemoryJob[] = [];
    let there = 0;
    for (const job of this.#database.jobs.all()) {
      there++;
      const key = `${job.endpoint}/${job.id}`;
      const before = this.#jobs.get(key);
      if (before !== job) this.#changed(key, before, job, ended);
    }
    if (there < this.#jobs.size) this.#checkRemoved();
    return ended;
  }

  #changed(key: string, before: MemoryJob | undefined, job: MemoryJob, ended: MemoryJob[]): void {
    this.#hasChanged = true;
    const fault = wrongMove(before, job, this.#database.latestTime) ?? this.#onChange(before, job);
    if (fault !== undefined) this.faults.push(fault);
    if (before?.state !== job.state) this.#onMove(`${before?.state ?? "new"} to ${job.state}`);
    if (job.state === "IN_QUEUE" && before !== job) this.#waitingSince.set(key, this.#now());
    const isEnd = job.ended_at !== null && (before?.ended_at !== job.ended_at || before.state !== job.state);
    this.#ever.add(key);
    if (isEnd) ended.push(job);
    this.#count(before, -1);
    this.#count(job, 1);
    if (isEnd && job.state === "COMPLETED") this.#totalsOf(job.endpoint).completed++;
    this.#jobs.set(key, job);
  }

  #checkRemoved(): void {
    this.#hasChanged = true;
    const there = new Set<string>();
    for (const job of this.#database.jobs.all()) there.add(`${job.endpoint}/${job.id}`);
    for (const [key, job] of this.#jobs) {
      if (there.has(key)) continue;
      this.#jobs.delete(key);
      this.#count(job, -1);
      const isReturned = (this.#returned.get(key) ?? 0) > this.#now() - TOGETHER;
      const isPurged = job.state === "IN_QUEUE" || isReturned;
      const isOver = job.ended_at !== null && job.due_at <= this.#database.latestTime;
      this.#onMove(isPurged ? "IN_QUEUE to gone" : "ended to gone");
      // What was handed out may not go.
      if (!isPurged && !isOver) this.faults.push(`job ${job.id} is gone; it was ${job.state}`);
    }
  }

  #count(job: MemoryJob | undefined, by: 1 | -1): void {
    if (job === undefined) return;
    const totals = this.#totalsOf(job.endpoint);
    if (job.state === "IN_QUEUE") {
      totals.queued += by;
      totals.queuedBytes += by * job.bytes;
    }
    if (job.state === "IN_PROGRESS") totals.running += by;
  }

  #totalsOf(endpoint: string): Totals {
    const known = this.#totals.get(endpoint) ?? { queued: 0, running: 0, queuedBytes: 0, completed: 0 };
    this.#totals.set(endpoint, known);
    return known;
  }

  #checkCounts(): void {
    for (const [endpoint, totals] of this.#totals) {
      const counts = this.#database.counters.of(endpoint);
      for (const name of ["queued", "running", "queuedBytes", "completed"] as const) {
        if (counts?.[name] !== totals[name])
          this.faults.push(`${endpoint} counts ${counts?.[name]} ${name}, and has ${totals[name]}`);
      }
    }
  }

  #checkKeys(): void {
    for (const { endpoint, key, id } of this.#database.keys.all()) {
      const known = this.#keys.get(`${endpoint}/${key}`);
      if (known !== undefined && known !== id)
        this.faults.push(`Idempotency-Key ${key} has made ${known} and ${id}`);
      this.#keys.set(`${endpoint}/${key}`, id);
    }
  }

  /** One webhook for each end of a job that has a receiver, in the commit of that end. */
  #checkDeliveries(ended: readonly MemoryJob[]): void {
    const there = new Map<string, MemoryDelivery>();
    for (const row of this.#database.deliveries.all()) {
      const key = `${row.endpoint}/${row.id}`;
      there.set(key, row);
      const before = this.#deliveries.get(key);
      if (before === row) continue;
      this.#changedDelivery(before, row);
    }
    for (const [key, row] of this.#deliveries) {
      if (!there.has(key) && row.state === "PENDING")
        this.faults.push(`webhook ${row.id} is gone undelivered`);
    }
    this.#deliveries = there;
    for (const job of ended) {
      const count =
        this.#delivered.get(endKey(job.id, job.ended_at, job.state, job.position.toString(36))) ?? 0;
      const due = job.receiver === null ? 0 : 1;
      if (count !== due) this.faults.push(`the end of job ${job.id} has ${count} webhooks, not ${due}`);
    }
  }

  #changedDelivery(before: MemoryDelivery | undefined, row: MemoryDelivery): void {
    const { id, job, state } = row;
    const key = endKey(job, row.ended_at, row.job_state, id.split("_")[2]);
    if (before === undefined) this.#delivered.set(key, (this.#delivered.get(key) ?? 0) + 1);
    else if (before.state !== "PENDING" && before.state !== state)
      this.faults.push(`webhook ${id} was ${before.state} and is ${state}`);
    if (state === "DELIVERED" && !this.acknowledgedWebhooks.has(id))
      this.faults.push(`webhook ${id} counts as delivered, and no receiver has acknowledged it`);
    if (state === "FAILED") this.givenUp.add(job);
    if (state !== "PENDING" && before?.state === "PENDING") this.#onMove(`webhook ${state}`);
  }
}

/** Names one end of a job. Two runs can end in one millisecond, while a clock waits for the database. */
function endKey(job: string, endedAt: number | null, state: string, place: string | undefined): string {
  return `${job} ${endedAt} ${state} ${place}`;
}
