import type { Outcome as HistoryOutcome, SeenState, Span } from "../history/history.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { newProcess } from "./agenda.ts";
import type { Outcome, SimulatedRequest } from "./network.ts";
import type { Command, OnEndpoint, OnJob, Submit } from "./plan.ts";
import type { World } from "./world.ts";

interface KnownJob {
  readonly id: string;
  readonly endpoint: number;
}

type Answered = Extract<Outcome, { kind: "answered" }>;

/** How long a client waits for an answer, ms. */
const PATIENCE = 15_000;

/** How long a client watches a job, and how often it asks, ms. */
const WATCHED = 30_000;
const WATCH_INTERVAL = 500;

/** How often the public SDKs send a call again that found nobody, or an error 5xx or 429. */
const REPEATS = 3;

/** All clients together. Each command is a call of its own, as from a client of its own. */
export class Clients {
  readonly known: KnownJob[] = [];
  readonly #process = newProcess("client");

  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async do(command: Command): Promise<void> {
    switch (command.what) {
      case "run":
      case "runsync":
        return this.#submit(command);
      case "purge":
      case "health":
      case "requests":
        return this.#onEndpoint(command);
      case "status":
      case "stream":
      case "stream from":
      case "cancel":
      case "retry": {
        const job = this.known[Math.floor(command.place * this.known.length)];
        if (job !== undefined) await this.#onJob(command.what, job);
      }
    }
  }

  async #submit(command: Submit): Promise<void> {
    const { work, endpoint, hasKey, hasWebhook, ttl, executionTimeout, what, wait, size } = command;
    const world = this.#world;
    const policy = {
      ...(ttl === undefined ? {} : { ttl }),
      ...(executionTimeout === undefined ? {} : { executionTimeout }),
    };
    const body = JSON.stringify({
      input: { ...work, ...(size > 0 ? { filler: "x".repeat(size) } : {}) },
      ...(hasWebhook ? { webhook: `http://receiver-${endpoint}.test/${work.tag}` } : {}),
      policy,
    });
    const from = world.agenda.now;
    const query = what === "runsync" ? `?wait=${wait}` : "";
    const { outcome, isUnknown } = await this.#send(
      {
        method: "POST",
        path: `/sdk/v2/e${endpoint}/${what}${query}`,
        key: TEST_KEY,
        body,
        headers: hasKey ? { "idempotency-key": work.tag } : {},
        mayRepeat: hasKey,
      },
      hasKey,
    );
    const span = this.#since(from);
    const answer = outcome.kind === "answered" && outcome.status === 200 ? outcome : undefined;
    // The head of runsync has the id, whatever comes behind it.
    const id = answer && (idOf(answer.body) ?? answer.headers.get("x-job-id") ?? undefined);
    world.history.add({
      kind: "submission",
      endpoint: `e${endpoint}`,
      tag: work.tag,
      outcome: id !== undefined ? "acknowledged" : isUnknown ? "unknown" : "refused",
      ...span,
      ...(id === undefined ? {} : { id }),
      mayTimeOut: endpoint === 1,
      mayExpire: endpoint === 1 || what === "runsync",
      hasWebhook,
    });
    world.tally.add(`action ${what}`);
    if (id === undefined) return;
    world.tally.add("acknowledged");
    this.known.push({ id, endpoint });
    world.invariants.acknowledged(`e${endpoint}`, id);
    if (what === "runsync" && answer !== undefined) world.history.ran(span, answer.body);
    if (command.isWatched === true) await this.#watch({ id, endpoint });
  }

  /** Asks for the state again and again, and retries the job whenever it has failed. */
  async #watch(job: KnownJob): Promise<void> {
    const { agenda } = this.#world;
    const until = agenda.now + WATCHED;
    while (agenda.now < until) {
      await agenda.sleep(WATCH_INTERVAL, this.#process, "watches");
      const state = await this.#onJob("status", job);
      if (state === "FAILED" || state === "TIMED_OUT") await this.#onJob("retry", job);
      if (state === "COMPLETED" || state === "CANCELLED") return;
    }
  }

  /** Answers the state that the server told. */
  async #onJob(what: OnJob["what"], { id, endpoint }: KnownJob): Promise<SeenState | undefined> {
    const world = this.#world;
    const from = world.agenda.now;
    const isRead = what === "status" || what === "stream" || what === "stream from";
    const name = what === "stream from" ? "stream" : what;
    const query = what === "stream from" ? "?from=0&wait=1000" : what === "stream" ? "?wait=1000" : "";
    const { outcome, isUnknown } = await this.#send(
      {
        method: isRead ? "GET" : "POST",
        path: `/sdk/v2/e${endpoint}/${name}/${id}${query}`,
        key: TEST_KEY,
        ...(isRead ? {} : { body: "" }),
        mayRepeat: what === "status",
      },
      isRead,
    );
    const span = this.#since(from);
    const status = outcome.kind === "answered" ? outcome.status : 0;
    const told = outcome.kind === "answered" && status === 200 ? stateOf(outcome.body) : undefined;
    const state = told === undefined ? {} : { state: told };
    if (status === 200) world.tally.add(`action ${what}`);
    if (isRead) {
      if (outcome.kind === "answered" && status === 200 && what === "status")
        world.history.look(span, outcome.body);
      if (status === 404 && !world.invariants.has(id)) world.history.gone(span, id);
      if (outcome.kind === "answered" && status === 200 && what === "stream from") this.#read(id, outcome);
      return told;
    }
    if (status === 404 && !world.invariants.has(id)) world.history.gone(span, id);
    const answered: HistoryOutcome =
      status === 200 ? "acknowledged" : status === 400 && !isUnknown ? "refused" : "unknown";
    if (status === 404 && !isUnknown) return told;
    if (answered === "unknown" && !isUnknown) return told;
    // Of several tries the one that was answered need not be the one that did it.
    world.history.add({ kind: what, id, outcome: isUnknown ? "unknown" : answered, ...state, ...span });
    return told;
  }

  /** All chunks of a job: those of one attempt. A chunk that was sent twice can be there twice. */
  #read(id: string, { body }: Answered): void {
    const chunks: { output: string }[] = JSON.parse(body).stream;
    const handOuts = new Set(chunks.map(({ output }) => output.split("c")[0]));
    if (handOuts.size > 1) this.#world.fail(new Error(`a stream of ${id} mixes attempts: ${body}`));
    if (chunks.length > 0) this.#world.tally.add("chunks read", chunks.length);
  }

  async #onEndpoint({ what, endpoint }: OnEndpoint): Promise<void> {
    const world = this.#world;
    const from = world.agenda.now;
    const isPurge = what === "purge";
    const { outcome, isUnknown } = await this.#send(
      {
        method: isPurge ? "POST" : "GET",
        path: `/v2/e${endpoint}/${isPurge ? "purge-queue" : what}`,
        key: TEST_KEY,
        ...(isPurge ? { body: "" } : {}),
        mayRepeat: !isPurge,
      },
      !isPurge,
    );
    const isAnswered = outcome.kind === "answered" && outcome.status === 200;
    if (isAnswered) world.tally.add(`action ${what}`);
    if (!isPurge) return;
    const removed = isAnswered ? JSON.parse(outcome.body).removed : undefined;
    if (removed > 0) world.tally.add("purged", removed);
    world.history.add({
      kind: "purge",
      endpoint: `e${endpoint}`,
      outcome: isUnknown ? "unknown" : isAnswered ? "acknowledged" : "refused",
      ...(removed === undefined || isUnknown ? {} : { removed }),
      ...this.#since(from),
    });
  }

  /** What every client reads at the end, when nothing waits or runs any more. */
  async finalLook({ id, endpoint }: KnownJob): Promise<void> {
    const from = this.#world.agenda.now;
    const path = `/sdk/v2/e${endpoint}/status/${id}`;
    const { outcome } = await this.#send({ method: "GET", path, key: TEST_KEY, mayRepeat: false }, true);
    const span = this.#since(from);
    if (outcome.kind !== "answered") throw new Error(`nobody answers at the end: ${path}`);
    if (outcome.status === 404) this.#world.history.gone(span, id, true);
    else this.#world.history.look(span, outcome.body, true);
    if (outcome.status === 200) await this.#finalStream({ id, endpoint }, outcome.body);
  }

  /** The whole stream of a job that has completed: what the attempt of its result has sent. */
  async #finalStream({ id, endpoint }: KnownJob, record: string): Promise<void> {
    const { runs, streams, invariants, tally } = this.#world;
    const { status, output } = JSON.parse(record);
    const handOut = /^t\d+#(\w+)/.exec(String(output))?.[1] ?? "";
    const attempt = invariants.attemptOf(`e${endpoint}`, id);
    if (status !== "COMPLETED" || attempt === undefined || !runs.isAttempt(handOut, attempt)) return;
    if (!streams.has(id)) return;
    const path = `/sdk/v2/e${endpoint}/stream/${id}?from=0`;
    const { outcome } = await this.#send({ method: "GET", path, key: TEST_KEY, mayRepeat: false }, true);
    if (outcome.kind !== "answered" || outcome.status !== 200) return;
    const read: { output: string }[] = JSON.parse(outcome.body).stream;
    tally.add("action whole stream");
    const wrong = streams.wrong(
      id,
      handOut,
      read.map((chunk) => chunk.output),
    );
    if (wrong !== undefined) this.#world.fail(new Error(wrong));
  }

  /** Sends it again as the SDKs do: what found nobody, and with `mayRetry` what broke or met an error 5xx. */
  async #send(
    request: SimulatedRequest,
    mayRetry: boolean,
  ): Promise<{
    outcome: Outcome;
    /** Some try can have had an effect that was not answered. */ isUnknown: boolean;
  }> {
    const world = this.#world;
    let isUnknown = false;
    for (let tries = 1; ; tries++) {
      const outcome = await world.call(this.#process, request, PATIENCE);
      const isAnswer = outcome.kind === "answered" && outcome.status < 500 && outcome.status !== 429;
      if (isAnswer) {
        // The answer to a repeated submission with a key is that of the first.
        const isSame = request.headers?.["idempotency-key"] !== undefined && outcome.status === 200;
        return { outcome, isUnknown: isUnknown && !isSame };
      }
      // Of an error 503 of the store it is not known whether anything has happened.
      isUnknown ||= outcome.kind === "broken" || (outcome.kind === "answered" && outcome.status !== 429);
      const mayGoOn = outcome.kind === "refused" || mayRetry;
      if (!mayGoOn || tries === REPEATS) return { outcome, isUnknown };
      await world.agenda.sleep(world.random.between(100, 1_500), this.#process, "sends again");
    }
  }

  #since(from: number): Span {
    return { from, to: this.#world.agenda.now };
  }
}

function idOf(body: string): string | undefined {
  const { id } = JSON.parse(body);
  return typeof id === "string" ? id : undefined;
}

function stateOf(body: string): SeenState {
  return JSON.parse(body).status;
}
