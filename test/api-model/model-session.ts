import { expect } from "bun:test";
import type { Answer } from "../support/answer.ts";
import type { ModelRequest, ModelServer } from "./model-server.ts";
import type { QueueModel } from "./queue-model.ts";
import { recordOf } from "./record-of.ts";

/** A call that may wait: until its job has ended, has a chunk, or until there is a job for its worker. */
export type Wait =
  | { readonly kind: "runsync"; id: string; readonly until: number }
  | {
      readonly kind: "stream";
      readonly id: string;
      readonly from: number | undefined;
      readonly until: number;
    }
  | { readonly kind: "take"; readonly worker: string; readonly until: number };

type OpenCall = Wait & { answer?: Answer };

/** A server and its model side by side, and the calls that neither has answered yet. */
export class ModelSession {
  readonly model: QueueModel;
  readonly server: ModelServer;
  /** Every job that was ever acknowledged. */
  readonly ids: string[] = [];
  /** Told of each call that brought what it waited for. */
  readonly onAnswered: (kind: Wait["kind"]) => void;
  /** A worker was barred from what waits: others may be told of it only when waiting jobs are offered. */
  mayOverlook = false;
  #open: OpenCall[] = [];
  #arrivals = 0;

  constructor(model: QueueModel, server: ModelServer, onAnswered: (kind: Wait["kind"]) => void) {
    this.model = model;
    model.now = server.engine.clock.now();
    this.server = server;
    this.onAnswered = onAnswered;
  }

  /** Sends what is answered at once. */
  send(request: ModelRequest): Promise<Answer> {
    return this.server.call(request);
  }

  /** Sends what may wait; `settle` looks for the answer. */
  open<Kind extends Wait>(wait: Kind, request: ModelRequest): Kind {
    const call: Kind & { answer?: Answer } = wait;
    this.#open.push(call);
    void this.server.call(request).then((answer) => (call.answer = answer));
    return call;
  }

  isOpen(is: (wait: Wait) => boolean): boolean {
    return this.#open.some(is);
  }

  /** The server was killed: nobody answers any more. */
  drop(): void {
    this.#open = [];
    this.mayOverlook = false;
  }

  /**
   * Waits until nothing moves, then holds each open call against the model: answered with what the model
   * says, or still open. As many jobs as came into the queue, and `offers` at least, must have gone to
   * workers that wait, if these may have them.
   */
  async settle(offers = 0): Promise<void> {
    await this.server.settled();
    const arrived = this.model.arrivals - this.#arrivals;
    this.#arrivals = this.model.arrivals;
    this.#settleTakes(Math.max(offers, arrived));
    for (const call of this.#open) if (call.kind !== "take") this.#settleWait(call);
    this.#open = this.#open.filter((call) => call.answer === undefined);
    this.model.released.clear();
  }

  #settleTakes(offers: number): void {
    const takes = this.#open.filter((call) => call.kind === "take");
    let given = takes.filter((call) => call.answer?.status === 200);
    const taken = given.length;
    while (given.length > 0) {
      // Which of several waiting workers is first is not the model's to say.
      const first = given.find((call) => this.model.next(call.worker)?.id === call.answer?.json.id);
      if (first === undefined) {
        const got = given.map((call) => `${call.worker} got ${call.answer?.text}`);
        throw new Error(`no worker may have what it got: ${got.join("; ")}`);
      }
      const job = this.model.jobs.get(first.answer?.json.id);
      if (job === undefined) throw new Error("unreachable: it was the next one");
      expect(first.answer?.json).toMatchObject({ id: job.id, input: JSON.parse(job.input) });
      this.model.take(job, first.worker);
      this.onAnswered("take");
      given = given.filter((call) => call !== first);
    }
    for (const { worker, until, answer } of takes) {
      if (answer?.status === 200) continue;
      const isOver = until <= this.model.now || this.model.released.has(worker);
      expect([worker, answer?.status]).toEqual([worker, isOver ? 204 : undefined]);
      if (!isOver && taken < offers) expect([worker, this.model.next(worker)]).toEqual([worker, undefined]);
    }
  }

  #settleWait(call: OpenCall & { kind: "runsync" | "stream" }): void {
    const job = this.model.jobs.get(call.id);
    const hasEnded = job === undefined || job.endedAt !== undefined;
    const isLate = call.until <= this.model.now;
    if (call.kind === "runsync") {
      const purged = { id: call.id, status: "CANCELLED", error: "removed by purge-queue" };
      const expected = job === undefined ? purged : recordOf(job);
      expect(call.answer?.json).toEqual(hasEnded || isLate ? expected : undefined);
      if (hasEnded) this.onAnswered("runsync");
      return;
    }
    if (job === undefined) return expect(call.answer?.status).toBe(404);
    const start = Math.min(call.from ?? job.read, job.chunks.length);
    const chunks = job.chunks.slice(start);
    if (chunks.length === 0 && !hasEnded && !isLate) return expect(call.answer?.text).toBeUndefined();
    if (call.from === undefined) job.read = job.chunks.length;
    if (chunks.length > 0) this.onAnswered("stream");
    expect(call.answer?.text).toBe(`[${chunks.join(",")}]`);
    expect(call.answer?.headers.get("x-next-chunk")).toBe(String(job.chunks.length));
    expect(call.answer?.headers.get("x-job-status")).toBe(job.state);
  }
}
