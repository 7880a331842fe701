import { type Answer, answerOf } from "./answer.ts";

/** Speaks the public worker protocol call by call, with the environment that a real worker would get. */
export class TestWorker {
  readonly env: Record<string, string>;
  readonly id: string;

  constructor(env: Record<string, string>, id: string) {
    this.env = env;
    this.id = id;
  }

  /** `inProgress` is what the worker says of itself: whether it has any job. */
  take(inProgress: 0 | 1 = 0, signal?: AbortSignal): Promise<Answer> {
    return this.#get(`${this.#address("GET_JOB")}&job_in_progress=${inProgress}`, signal);
  }

  takeBatch(size: number, inProgress: 0 | 1 = 0): Promise<Answer> {
    const address = this.#address("GET_JOB").replace("/job-take/", "/job-take-batch/");
    return this.#get(`${address}&batch_size=${size}&job_in_progress=${inProgress}`);
  }

  stops(signal?: AbortSignal): Promise<Answer> {
    return this.#get(this.#address("GET_JOB").replace("/job-take/", "/job-stop/"), signal);
  }

  ping(ids: readonly string[] = []): Promise<Answer> {
    const list = ids.length === 0 ? "" : `&job_id=${encodeURIComponent(ids.join(","))}`;
    return this.#get(`${this.#address("PING")}${list}&runpod_version=1.12.0`);
  }

  /** The result of a job; a string or bytes are sent as they are. */
  done(job: string, result: unknown, isStream = false): Promise<Answer> {
    return this.#post(`${this.#address("POST_OUTPUT", job)}&isStream=${isStream}`, result);
  }

  stream(job: string, chunk: unknown): Promise<Answer> {
    return this.#post(`${this.#address("POST_STREAM", job)}&isStream=false`, chunk);
  }

  async exchange(body: unknown, signal?: AbortSignal): Promise<Answer> {
    const address = (this.env["FOREBAY_EXCHANGE_URL"] ?? "").replace("$ID", this.id);
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization: this.env["FOREBAY_WORKER_TOKEN"] ?? "", "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    return answerOf(response);
  }

  /** Fills in a template as the public SDK does: `$RUNPOD_POD_ID` first, then `$ID` as job, or as worker. */
  #address(name: string, job?: string): string {
    const template = this.env[`RUNPOD_WEBHOOK_${name}`] ?? "";
    return template.replace("$RUNPOD_POD_ID", this.id).replace("$ID", job ?? this.id);
  }

  async #get(address: string, signal?: AbortSignal): Promise<Answer> {
    const headers = this.#headers("application/json");
    return answerOf(await fetch(address, { headers, ...(signal === undefined ? {} : { signal }) }));
  }

  async #post(address: string, body: unknown): Promise<Answer> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(address, {
      method: "POST",
      headers: this.#headers("application/x-www-form-urlencoded"),
      body: isRaw ? body : JSON.stringify(body),
    });
    return answerOf(response);
  }

  #headers(contentType: string): Record<string, string> {
    return { authorization: this.env["RUNPOD_AI_API_KEY"] ?? "", "content-type": contentType };
  }
}
