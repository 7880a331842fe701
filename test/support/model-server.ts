import { COMMENT } from "../../src/http/event-stream.ts";
import { UNDELIVERED } from "../model/steps.ts";
import type { Answer } from "./answer.ts";
import { TEST_KEY } from "./test-client.ts";
import { TestServer } from "./test-server.ts";
import type { TestWorker } from "./test-worker.ts";

export const CHAT = "v1/chat/completions";

/** A streamed call that is under way. */
interface Streamed {
  readonly response: Promise<Response>;
  readonly job: string;
}

/** A server with one endpoint and one worker, called by the OpenAI route. */
export class ModelServer {
  readonly server: TestServer;
  readonly endpoint: string;
  readonly worker: TestWorker;

  private constructor(server: TestServer, endpoint: string, worker: TestWorker) {
    this.server = server;
    this.endpoint = endpoint;
    this.worker = worker;
  }

  static async start(): Promise<ModelServer> {
    const server = await TestServer.start({ flags: { "stream-silence-ms": "200", "take-hold-ms": "60000" } });
    const endpoint = await server.endpoint();
    return new ModelServer(server, endpoint, await server.worker(endpoint));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  path(route = CHAT, base = ""): string {
    return `${base}/v2/${this.endpoint}/openai/${route}`;
  }

  post(body: unknown, route = CHAT): Promise<Answer> {
    return this.server.post(this.path(route), body);
  }

  /** The answer to a call whose job ends with `result`. */
  async answered(result: unknown, body: unknown = {}, route = CHAT): Promise<Answer> {
    const answer = this.post(body, route);
    await this.worker.done((await this.worker.take()).json.id, result);
    return answer;
  }

  /** A streamed call, and the id of its job; the worker yields all `outputs` at once. */
  async streamed(outputs: readonly unknown[], route = CHAT): Promise<Streamed> {
    const response = fetch(`${this.server.url}${this.path(route)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: '{"stream":true}',
    });
    const job = (await this.worker.take()).json.id;
    for (const output of outputs) await this.worker.stream(job, { output });
    return { response, job };
  }

  /** All that a streamed call with these yields answers, its job COMPLETED. */
  async wholeText(outputs: readonly unknown[], route = CHAT): Promise<string> {
    const { response, job } = await this.streamed(outputs, route);
    await this.worker.done(job, { output: [] });
    return this.textOf(response);
  }

  /** All events of an answer: without the comments, which depend on how busy the machine is. */
  async textOf(response: Promise<Response>): Promise<string> {
    return (await (await response).text()).replaceAll(COMMENT, "");
  }

  /** The first attempt of the job is over, and it waits again. */
  async loseFirstAttempt(job: string): Promise<void> {
    const { store, clock } = this.server.forebay.engine;
    const over = { attempt: 1, losses: 1, undelivered: 0, barUntil: 0, end: UNDELIVERED };
    await store.apply([{ step: "giveBack", endpoint: this.endpoint, id: job, ...over }], clock.now());
  }
}
