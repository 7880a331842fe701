import { expect } from "bun:test";
import type { TestClient } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import type { HandlerForm, VersionHost } from "./version-host.ts";
import type { VersionWorker } from "./version-worker.ts";
import type { SdkVersion } from "./versions.ts";
import type { World } from "./world.ts";

/** Whether the worker has a token of its own, and so an id and pings, or shares one. */
export type Token = "own" | "shared";

export interface Setting {
  readonly world: World;
  readonly version: SdkVersion;
  readonly host: VersionHost;
  readonly token: Token;
}

/** What a version does in one situation. The answer is a short sentence for the table. */
export interface Case {
  readonly name: string;
  readonly tokens: readonly Token[];
  /** Absent: all of them. */
  readonly versions?: readonly string[];
  run(setting: Setting): Promise<string>;
}

/** How long a job may take in all, ms. */
const JOB_LIMIT = 240_000;

/** The environment of a worker that reaches the server at `url`. */
export async function admit(
  client: TestClient,
  endpoint: string,
  token: Token,
  url = client.url,
): Promise<Record<string, string>> {
  const { json } = await client.post(`/v1/endpoints/${endpoint}/workers`, { many: token === "shared" });
  const entries = Object.entries<string>(json.env);
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replace(/^http:\/\/[^/]+/, url)]));
}

export interface Begun {
  readonly endpoint: string;
  readonly worker: VersionWorker;
  readonly id: string;
}

export interface Beginning {
  readonly client: TestClient;
  readonly form: HandlerForm;
  readonly concurrency?: number;
  readonly input: Record<string, unknown>;
  readonly policy?: Record<string, unknown>;
  /** Variables beside those that admit the worker. */
  readonly env?: Record<string, string>;
  /** The address that the worker uses. */
  readonly url?: string;
}

/** An endpoint with one worker, which runs one job. */
export async function begin({ host, token }: Setting, beginning: Beginning): Promise<Begun> {
  const { client, form, concurrency, input, policy, env = {}, url } = beginning;
  const endpoint = await client.endpoint();
  const admitted = await admit(client, endpoint, token, url);
  const worker = await host.start({
    form,
    ...(concurrency === undefined ? {} : { concurrency }),
    env: { ...admitted, ...env },
  });
  const id = await client.run(endpoint, input, policy === undefined ? {} : { policy });
  await worker.began(id);
  return { endpoint, worker, id };
}

/** The record of the job once it has ended. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
export function ended(client: TestClient, endpoint: string, id: string): Promise<any> {
  return until(
    `job ${id} ended`,
    async () => {
      const record = await client.ended(endpoint, id);
      return record.status !== "IN_QUEUE" && record.status !== "IN_PROGRESS" && record;
    },
    JOB_LIMIT,
  );
}

export const RESULT = { text: "Grüße 😀" };

/** The job ended well, and its handler has begun once. */
export async function expectOnce(client: TestClient, { endpoint, worker, id }: Begun): Promise<string> {
  const record = await ended(client, endpoint, id);
  expect(record).toMatchObject({ status: "COMPLETED", output: RESULT });
  expect(worker.executions(id)).toBe(1);
  return "once";
}

/** A worker that waits for the next job of the endpoint. Start it when the other one has begun its job. */
export async function nextTaker(client: TestClient, endpoint: string): Promise<NextTaker> {
  return new NextTaker(await client.worker(endpoint));
}

class NextTaker {
  readonly #worker: TestWorker;
  readonly #taken: Promise<string>;

  constructor(worker: TestWorker) {
    this.#worker = worker;
    this.#taken = this.#take();
  }

  /** Runs what breaks the other worker; the job has to come long before its execution timeout. */
  async expectJob(id: string, breakOther: () => void): Promise<string> {
    breakOther();
    const brokenAt = performance.now();
    expect(await this.#taken).toBe(id);
    const took = performance.now() - brokenAt;
    await this.#worker.done(id, { output: "from the other worker" });
    return `recovered in ${(took / 1_000).toFixed(1)} s`;
  }

  async #take(): Promise<string> {
    const giveUpAt = performance.now() + JOB_LIMIT;
    while (performance.now() < giveUpAt) {
      const { status, json } = await this.#worker.take();
      if (status === 200) return json.id;
    }
    throw new Error("no job came back");
  }
}

/** Time that the case itself is about, such as three ping intervals. */
export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
