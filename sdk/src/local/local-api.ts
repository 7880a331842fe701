import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { WorkerLog } from "../log.ts";
import type { Protocol } from "../protocol.ts";
import type { LocalJobs } from "./local-jobs.ts";
import type { LocalRecord } from "./local-record.ts";
import { parseSubmission, UsageFault } from "./arguments.ts";

/** How long a reader of a stream waits for the next chunk, ms. */
const STREAM_WAIT = 5_000;

/**
 * An HTTP server in front of the handler, to try it: the paths and answers of the local API of the public
 * Python worker SDK, and cancel.
 */
export class LocalApi implements Protocol {
  readonly #server: Server;
  readonly #jobs: LocalJobs;

  private constructor(jobs: LocalJobs) {
    this.#jobs = jobs;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Rejects with a sentence if it cannot listen. */
  static async listen(
    { host, port }: { readonly host: string; readonly port: string },
    jobs: LocalJobs,
    log: WorkerLog,
  ): Promise<LocalApi> {
    if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new UsageFault(`--rp_api_port must be a number from 0 to 65535, got ${port}.`);
    }
    const api = new LocalApi(jobs);
    await new Promise<void>((resolve, reject) => {
      api.#server.once("error", ({ message }) => {
        reject(new UsageFault(`The handler cannot be served at ${host}:${port}: ${message}`));
      });
      api.#server.listen(Number(port), host, resolve);
    });
    const address = api.#server.address();
    const actual = typeof address === "object" && address !== null ? address.port : port;
    const name = host.includes(":") ? `[${host}]` : host;
    log.info(`try the handler at http://${name}:${actual}/runsync`);
    return api;
  }

  async run(): Promise<void> {
    await new Promise((resolve) => this.#server.once("close", resolve));
    await this.#jobs.idle();
  }

  drain(): void {
    this.#server.close();
  }

  stopJobs(sentence: string): void {
    this.#jobs.stopAll(sentence);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch((error: unknown) => {
      if (error instanceof UsageFault) return [400, { error: error.message }] as const;
      return [500, { error: String(error) }] as const;
    });
    // A connection that stays open would keep the worker from ending.
    response.writeHead(answer[0], { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(answer[1]));
  }

  async #answer(request: IncomingMessage): Promise<readonly [status: number, body: object]> {
    if (request.headers.origin !== undefined) {
      return [403, { error: "Web pages are not allowed to call this." }];
    }
    const [, operation = "", id] = new URL(request.url ?? "/", "http://local").pathname.split("/");
    if (operation === "run" || operation === "runsync") {
      if (request.method !== "POST") return [405, { error: `${operation} is called with POST.` }];
      const job = parseSubmission("The body", await textOf(request), () => "");
      // The server assigns ids, here as elsewhere.
      const record = this.#jobs.submit({ ...job, id: `test-${crypto.randomUUID()}` });
      if (operation === "runsync") await record.until(() => record.hasEnded);
      return [200, record.told];
    }
    const record = this.#jobs.record(id ?? "");
    if (!["status", "stream", "cancel"].includes(operation)) {
      return [404, { error: "Use /run, /runsync, /status/{id}, /stream/{id} or /cancel/{id}." }];
    }
    if (record === undefined) return [404, { error: `There is no job ${id ?? ""} here.` }];
    if (operation === "stream") return [200, await streamOf(record)];
    if (operation === "cancel") this.#jobs.cancel(record);
    return [200, record.told];
  }
}

/** The chunks since the last call. Waits if there are none. */
async function streamOf(record: LocalRecord): Promise<object> {
  await record.until(() => record.hasEnded || record.hasUnread, STREAM_WAIT);
  const { id, status } = record.told;
  return { id, status, stream: record.readChunks().map((output) => ({ output })) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request) text += String(piece);
  return text;
}
