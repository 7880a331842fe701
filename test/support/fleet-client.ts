import { expect } from "bun:test";
import type { Recorder } from "../crash-server/recorder.ts";
import type { ServerProcess } from "./server-process.ts";

/** The endpoint whose jobs a client submits. */
export interface ClientFleet {
  readonly server: ServerProcess;
  /** It has the members of FLEET_FIELDS. */
  readonly endpoint: string;
  /** What a job is to do that takes so many ms. */
  inputOf(tag: string, ms: number): Record<string, unknown>;
}

/** Submits jobs of a fleet, and writes down what it learns of them. */
export class FleetClient {
  readonly #fleet: ClientFleet;
  readonly #record: Recorder;
  readonly #webhook: string;
  readonly #jobs = new Set<string>();
  #open: string[] = [];
  #number = 0;

  constructor(fleet: ClientFleet, record: Recorder, webhook: string) {
    this.#fleet = fleet;
    this.#record = record;
    this.#webhook = webhook;
  }

  async submit(ms: number): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const { events, faults, now, isUnknown } = this.#record;
    const tag = `fleet-${this.#number++}`;
    const from = now();
    const body = { input: this.#fleet.inputOf(tag, ms), webhook: this.#webhook };
    const answer = await server.post(`/v2/${endpoint}/run`, body).catch(() => undefined);
    const sent = { kind: "submission", endpoint, tag, hasWebhook: true, from, to: now() } as const;
    if (answer === undefined || isUnknown(answer.status, answer.json)) {
      events.push({ ...sent, outcome: "unknown" });
    } else if (answer.status === 200) {
      events.push({ ...sent, outcome: "acknowledged", id: answer.json.id });
      this.#jobs.add(answer.json.id);
      this.#open.push(answer.json.id);
    } else faults.push(`a submission was answered ${answer.status}`);
  }

  /** All jobs that it knows have ended. */
  async allEnded(): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const records = await Promise.all(this.#open.splice(0).map((job) => server.ended(endpoint, job)));
    for (const { status, error } of records) {
      // Whoever loses its worker three times is over.
      if (status !== "COMPLETED") expect(error).toContain("the worker was lost 3 times");
    }
  }

  async lookAtAll(isFinal = false): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const { events, saw, sawRecord, now } = this.#record;
    if (isFinal) for (const event of events) if (event.kind === "handOut") this.#jobs.add(event.id);
    for (const id of isFinal ? this.#jobs : this.#open) {
      const from = now();
      const { status, json } = await server.get(`/v2/${endpoint}/status/${id}`);
      const span = { from, to: now() };
      if (status === 404) saw(id, "gone", span, isFinal);
      else sawRecord(json, span, isFinal);
    }
  }
}
