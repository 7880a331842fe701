import { type Answer, answerOf } from "./answer.ts";
import { TestWorker } from "./test-worker.ts";

export const TEST_KEY = "test-key-0123456789";

/** A line of a worker's log. */
export interface LoggedLine {
  readonly time: string;
  readonly stream: string;
  readonly line: string;
}

/** The lines of an answer with a log. */
export function linesOf(text: string): LoggedLine[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

/** Uses a server over its public API, with the admin key. */
export abstract class TestClient {
  /** Where the server listens. */
  abstract get url(): string;

  /** The variables with which a command uses this server, with the admin key. */
  get env(): Readonly<Record<string, string>> {
    return { FOREBAY_URL: this.url, FOREBAY_KEY: TEST_KEY };
  }

  /** A call with the admin key; an object as body is sent as JSON. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${TEST_KEY}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    return answerOf(response);
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call("POST", path, body, headers);
  }

  /** The header of a new key, of the default account unless `fields` says otherwise. */
  async key(scope: string, fields: Record<string, unknown> = {}): Promise<{ authorization: string }> {
    const { json } = await this.post("/v1/keys", { name: crypto.randomUUID(), scopes: [scope], ...fields });
    return { authorization: `Bearer ${json.key}` };
  }

  /** What a worker has printed and this server keeps; nothing while it keeps no log of it. */
  async logOf(endpoint: string, worker: string, query = ""): Promise<LoggedLine[]> {
    const path = `/v1/endpoints/${endpoint}/workers/${worker}/logs${query}`;
    const { status, text } = await this.get(path);
    return status === 200 ? linesOf(text) : [];
  }

  /** A new account; the answer is its id. */
  async account(): Promise<string> {
    const { json } = await this.post("/v1/accounts", { name: `account-${crypto.randomUUID()}` });
    return json.id;
  }

  /** A new registry login; the answer is its id. */
  async registryLogin(username = "user", password = "pass"): Promise<string> {
    const body = { name: `login-${crypto.randomUUID()}`, username, password };
    return (await this.post("/v1/containerregistryauth", body)).json.id;
  }

  /** A new endpoint; the answer is its id. */
  async endpoint(fields: Record<string, unknown> = {}): Promise<string> {
    const { json } = await this.post("/v1/endpoints", { name: `endpoint-${crypto.randomUUID()}`, ...fields });
    return json.id;
  }

  /** A worker that speaks the public protocol, with a token of its own. */
  async worker(endpoint: string): Promise<TestWorker> {
    const { json } = await this.post(`/v1/endpoints/${endpoint}/workers`);
    return new TestWorker(json.env, json.workerId);
  }

  /** Workers that share one token. */
  async workers(endpoint: string, count: number): Promise<TestWorker[]> {
    const { json } = await this.post(`/v1/endpoints/${endpoint}/workers`, { many: true });
    return Array.from({ length: count }, (_, index) => new TestWorker(json.env, `${index}`));
  }

  /** Submits with `input` and answers the id of the job. */
  async run(endpoint: string, input: unknown = {}, members: Record<string, unknown> = {}): Promise<string> {
    const { json } = await this.post(`/v2/${endpoint}/run`, { input, ...members });
    return json.id;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async status(endpoint: string, id: string): Promise<any> {
    const { json } = await this.get(`/v2/${endpoint}/status/${id}`);
    return json;
  }

  /** The record of the job when it has ended, or as it is after a minute. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async ended(endpoint: string, id: string): Promise<any> {
    const { json } = await this.get(`/v2/${endpoint}/status-sync/${id}?wait=60000`);
    return json;
  }
}
