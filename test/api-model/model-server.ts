import { newMeters } from "../../src/domain/meters.ts";
import { NO_HOSTS } from "../support/no-hosts.ts";
import { NO_DISK, NO_VITALS } from "../support/no-vitals.ts";
import { keptAmounts, loadConfig } from "../../src/config/config.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { secretBox } from "../../src/engine/secret-box.ts";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { httpContext } from "../../src/http/context.ts";
import type { Call } from "../../src/http/call.ts";
import { errorReply } from "../../src/http/error-reply.ts";
import { errorShapeOf } from "../../src/http/error-shapes.ts";
import { responseTo } from "../../src/http/reply.ts";
import { type Router, router } from "../../src/http/router.ts";
import { routes } from "../../src/http/operations.ts";
import type { Store } from "../../src/store/store.ts";
import { type Answer, answerOf } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { CrashableStore, OpenCrashableStore } from "./crashable-store.ts";
import { CHUNK_LIMIT } from "./queue-model.ts";
import { settledStore } from "./settled-store.ts";
import { NO_WORKER_LOGS } from "../support/memory-output.ts";

export interface ModelRequest {
  readonly method: "GET" | "POST";
  /** Behind `/v2/{endpoint}`. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The worker that sends it; undefined: a client. */
  readonly worker?: string | undefined;
}

/** What a start of the server makes; a crash makes all of it anew. */
interface Incarnation {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly router: Router;
  readonly settled: () => Promise<void>;
  readonly startedAt: number;
}

/**
 * A whole server but for sockets and timers: requests go through its routes, time stands still between
 * commands, and no background job runs by itself.
 */
export class ModelServer {
  readonly #log: MemoryLog;
  readonly #opened: CrashableStore;
  readonly #tokens = new Map<string, string>();
  #endpoint = "";
  #incarnation: Incarnation;

  private constructor(opened: CrashableStore, log: MemoryLog, incarnation: Incarnation) {
    this.#opened = opened;
    this.#log = log;
    this.#incarnation = incarnation;
  }

  static async start(open: OpenCrashableStore, workers: number): Promise<ModelServer> {
    const opened = await open();
    const log = new MemoryLog();
    const server = new ModelServer(opened, log, await incarnation(opened.store, new ManualClock(), log));
    const { engine } = server;
    const endpoint = await createEndpoint(engine, DEFAULT_ACCOUNT.id, {
      name: "model",
      rateLimits: RAISED_LIMITS,
    });
    server.#endpoint = endpoint.id;
    for (let index = 0; index < workers; index++) {
      const { record, token } = await createWorkerToken(engine, endpoint, { many: false, managed: false });
      server.#tokens.set(record.id, token);
    }
    await server.settled();
    return server;
  }

  get engine(): Engine {
    return this.#incarnation.engine;
  }
  get endpoint(): string {
    return this.#endpoint;
  }
  get workers(): string[] {
    return [...this.#tokens.keys()];
  }
  get startedAt(): number {
    return this.#incarnation.startedAt;
  }

  async call({ method, path, body, headers, worker }: ModelRequest): Promise<Answer> {
    const url = `http://model/v2/${this.#endpoint}${path}`;
    const token = worker === undefined ? TEST_KEY : (this.#tokens.get(worker) ?? "");
    const length = method === "POST" ? Buffer.byteLength(body ?? "") : undefined;
    const sent = { authorization: token, ...headers };
    const request = new Request(url, { method, headers: sent, ...(body === undefined ? {} : { body }) });
    const [plain = "", query = ""] = url.slice("http://model".length).split("?");
    const call: Call = {
      request,
      requestId: "model",
      length,
      parameters: [],
      query,
      dialect: "spec",
      headers: {},
      hasKey: false,
      allowSilence: () => undefined,
    };
    try {
      const { route, parameters } = this.#incarnation.router(method, plain);
      call.parameters = parameters;
      return await answerOf(responseTo(call, await route.handle(call)));
    } catch (error) {
      return answerOf(responseTo(call, errorReply(error, this.#log, errorShapeOf(plain))));
    }
  }

  /** Resolves when all that was set going has been done. */
  settled(): Promise<void> {
    return this.#incarnation.settled();
  }

  /** Time passes, and nothing else happens than the end of waits. */
  async pass(ms: number): Promise<void> {
    await this.#incarnation.clock.advance(ms);
    await this.settled();
  }

  /** The server is killed; the next one starts `downtime` ms later. Calls that wait are never answered. */
  async crash(downtime: number): Promise<void> {
    const clock = new ManualClock(this.#incarnation.clock.now() + downtime);
    this.#incarnation = await incarnation(await this.#opened.crash(), clock, this.#log);
  }

  /** What is wrong with what is stored. */
  async end(): Promise<readonly string[]> {
    await this.settled();
    const faults = await this.#opened.end();
    return [
      ...this.#log.errors.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
      ...faults,
    ];
  }
}

async function incarnation(given: Store, clock: ManualClock, log: MemoryLog): Promise<Incarnation> {
  const { store, settled } = settledStore(given);
  const config = loadConfig({ "admin-key": TEST_KEY }, {});
  const engine = await createEngine({
    server: "model-server",
    store,
    clock,
    log,
    meters: newMeters(NO_VITALS, NO_DISK),
    durations: config,
    workerLogs: NO_WORKER_LOGS,
    ...keptAmounts(config),
    chunkLimit: CHUNK_LIMIT,
    secrets: secretBox(["test"]),
    keepKeys: undefined,
    randomFill: (bytes) => crypto.getRandomValues(bytes),
    webhookRefusal: () => undefined,
    starts: { refusal: () => undefined, runs: () => false, ...NO_HOSTS },
  });
  const context = httpContext(engine, config, () => "http://model");
  return { engine, clock, router: router(routes(context)), settled, startedAt: clock.now() };
}
