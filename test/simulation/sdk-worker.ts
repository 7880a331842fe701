import type { Outcome } from "./network.ts";
import type { Work } from "./plan.ts";
import { type HeldJob, resultName, resultOf, SimulatedWorker, type WorkerParts } from "./worker.ts";
import type { World } from "./world.ts";

/** How the public SDK waits, ms (wire facts 1.3 to 1.6). */
const TAKE_TIMEOUT = 90_000;
const REPORT_TIMEOUT = 30_000;
const PING_INTERVAL = 3_000;
const FULL_PAUSE = 1_000;
const REPORT_PAUSES = [2_000, 3_000];

/** A worker of the public SDK. A silent one shares its token and sends no pings. */
export class SdkWorker extends SimulatedWorker {
  readonly #isSilent: boolean;
  readonly #concurrency: number;

  constructor(world: World, parts: WorkerParts, isSilent: boolean, concurrency: number) {
    super(world, parts);
    this.#isSilent = isSilent;
    this.#concurrency = concurrency;
  }

  protected loops(): Promise<void>[] {
    return [this.#take(), this.#stops(), ...(this.#isSilent ? [] : [this.#ping()])];
  }

  async #take(): Promise<void> {
    const { world, parts } = this;
    for (;;) {
      const free = this.#concurrency - this.jobs.size;
      if (free === 0) {
        await this.sleep(FULL_PAUSE, "is full");
        continue;
      }
      const from = world.agenda.now;
      const route = free > 1 ? "job-take-batch" : "job-take";
      const count = free > 1 ? `&batch_size=${free}` : "";
      const busy = this.jobs.size > 0 ? 1 : 0;
      const path = `/v2/${parts.endpoint}/${route}/${parts.id}?gpu=x${count}&job_in_progress=${busy}`;
      const outcome = await this.call({ method: "GET", path }, TAKE_TIMEOUT);
      const jobs = jobsIn(outcome);
      if (jobs.length > free)
        world.fail(new Error(`${parts.id} asked for ${free} jobs and got ${jobs.length}`));
      for (const job of jobs) {
        const held = this.got(job, undefined, from);
        if (held !== undefined) void this.#handle(held).catch((error: unknown) => world.fail(error));
      }
      // The SDK asks again at once; nobody would wait longer than a test.
      if (outcome.kind !== "answered" || outcome.status >= 400) await this.sleep(300, "asks again");
    }
  }

  async #handle(job: HeldJob): Promise<void> {
    const { world } = this;
    const { work, id, fails } = job;
    if (work.progress) {
      await this.#post("job-done", job, "false", { status: "IN_PROGRESS", output: `at ${job.mark}` });
    }
    const isWhole = await this.run(job, async (mark) => {
      const chunk = world.streams.sent(id, mark);
      chunk.isCertain = await this.#post("job-stream", job, "false", { output: mark });
    });
    if (!isWhole) return;
    const result = resultOf(job);
    const now = world.agenda.now;
    // Before it is sent: the worker can end before it learns what became of it.
    world.history.add({
      kind: "report",
      id,
      state: fails ? "FAILED" : "COMPLETED",
      result: resultName(job),
      worker: this.incarnation,
      outcome: "unknown",
      from: now,
      to: now,
    });
    const body = fails ? { error: result } : { output: result };
    await this.#post("job-done", job, work.chunks > 0 ? "true" : "false", body);
    world.tally.add("action report");
    if (this.jobs.get(id) === job) this.jobs.delete(id);
  }

  /**
   * Sends it again after an error 5xx, at most twice, and not after a broken connection. True if the first
   * try was answered, so that the server got it once. No proxy repeats chunks here: the public protocol
   * cannot tell a repeated one from a new one.
   */
  async #post(route: string, { id }: HeldJob, isStream: string, body: object): Promise<boolean> {
    const { endpoint, id: worker } = this.parts;
    const path = `/v2/${endpoint}/${route}/${worker}/${id}?gpu=x&isStream=${isStream}`;
    const mayRepeat = route !== "job-stream";
    for (const pause of [...REPORT_PAUSES, undefined]) {
      const text = JSON.stringify(body);
      const outcome = await this.call({ method: "POST", path, body: text }, REPORT_TIMEOUT, mayRepeat);
      const isAnswered = outcome.kind === "answered" && outcome.status === 200;
      if (outcome.kind !== "answered" || outcome.status < 500 || pause === undefined)
        return isAnswered && pause === REPORT_PAUSES[0];
      this.world.tally.add("action report again");
      await this.sleep(pause, "reports again");
    }
    return false;
  }

  async #ping(): Promise<void> {
    const { endpoint, id } = this.parts;
    for (;;) {
      const ids = [...this.jobs.keys()];
      const has = ids.length > 0 ? `&job_id=${ids.join(",")}` : "";
      const path = `/v2/${endpoint}/ping/${id}?runpod_version=1.12.0${has}`;
      await this.call({ method: "GET", path }, 2 * PING_INTERVAL);
      await this.sleep(PING_INTERVAL, "pings");
    }
  }

  async #stops(): Promise<void> {
    const { endpoint, id } = this.parts;
    for (;;) {
      const path = `/v2/${endpoint}/job-stop/${id}?gpu=x`;
      const outcome = await this.call({ method: "GET", path }, TAKE_TIMEOUT);
      const isAnswer = outcome.kind === "answered" && outcome.status === 200;
      if (isAnswer) this.stop(JSON.parse(outcome.body).jobsToStop ?? []);
      else await this.sleep(1_000, "asks for stops");
    }
  }
}

function jobsIn(outcome: Outcome): { id: string; input: Work }[] {
  if (outcome.kind !== "answered" || outcome.status !== 200) return [];
  const parsed = JSON.parse(outcome.body);
  return Array.isArray(parsed) ? parsed : [parsed];
}
