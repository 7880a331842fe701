import { type Agenda, newProcess, type Process } from "./agenda.ts";
import type { Random } from "./random.ts";
import type { Weather } from "./weather.ts";

export interface SimulatedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly key: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A proxy may send it twice. */
  readonly mayRepeat: boolean;
}

export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly headers: Headers; readonly body: string }
  /** There is no answer: what has become of the request is unknown. */
  | { readonly kind: "broken" }
  /** Nobody listened: nothing has happened. */
  | { readonly kind: "refused" };

/** A request that has arrived at a server, as its runtime gives it. */
export interface Connection {
  readonly request: Request;
  /** The answer is complete. */
  answer(response: { status: number; headers: Headers; body: string }): void;
  /** The server has gone, or breaks the connection. */
  breakOff(): void;
}

export interface Listener {
  readonly process: Process;
  /** False when nobody listens. */
  accept(connection: Connection): boolean;
}

const LATENCY = { least: 1, most: 12 };
const LATE = 4_000;

/** Where nobody stops: what is on its way arrives, whatever becomes of its sender. */
const WIRE = newProcess("wire");

/** Carries requests to servers and answers back, on links that delay, lose, repeat and break. */
export class Network {
  readonly #agenda: Agenda;
  readonly #weather: Weather;
  readonly #random: Random;

  constructor(agenda: Agenda, weather: Weather, random: Random) {
    this.#agenda = agenda;
    this.#weather = weather;
    this.#random = random;
  }

  latency(): number {
    const late = this.#weather.strikes("delay") ? this.#random.between(100, LATE) : 0;
    return this.#random.between(LATENCY.least, LATENCY.most) + late;
  }

  /** Resolves with what the caller sees; never once the caller has ended. */
  call(
    from: Process,
    listener: () => Listener | undefined,
    request: SimulatedRequest,
    timeout: number,
  ): Promise<Outcome> {
    const weather = this.#weather;
    return new Promise((resolve) => {
      const isHalfOpen = weather.strikes("half-open");
      const isCut = request.body !== undefined && request.body !== "" && weather.strikes("cut request");
      const gone = new AbortController();
      let isOver = false;

      const end = (outcome: Outcome): void => {
        if (isOver) return;
        isOver = true;
        stopTimer();
        unregister();
        resolve(outcome);
      };
      const tell = (label: string, outcome: Outcome): void => {
        if (isHalfOpen) return;
        this.#agenda.after(this.latency(), from, label, () => end(outcome));
      };
      const hangUp = (): void => {
        if (!isHalfOpen) {
          this.#agenda.after(this.latency(), WIRE, "a hang-up arrives", () => gone.abort());
        }
        end({ kind: "broken" });
      };
      const stopTimer = this.#agenda.after(timeout, from, `gives up ${request.path}`, hangUp);
      const unregister = this.#whenGone(from, () => {
        if (!isHalfOpen) this.#agenda.after(this.latency(), WIRE, "a FIN arrives", () => gone.abort());
      });

      if (weather.strikes("drop")) {
        if (this.#random.chance(0.5)) tell("sees a reset", { kind: "refused" });
        return;
      }
      if (weather.strikes("hang-up"))
        this.#agenda.after(this.#random.between(1, 400), from, "hangs up", hangUp);
      const cutAt = isCut ? this.#random.below(request.body?.length ?? 0) : undefined;
      const isTwice = request.mayRepeat && cutAt === undefined && weather.strikes("duplicate");
      // Where the other copy may have arrived, the proxy does not say that nobody listens.
      const tellOf: typeof tell = (label, outcome) =>
        tell(label, isTwice && outcome.kind === "refused" ? { kind: "broken" } : outcome);
      this.#deliver(listener, request, { gone, cutAt, tell: tellOf });
      if (isTwice) {
        this.#deliver(listener, request, { gone: new AbortController(), cutAt, tell: () => undefined });
      }
    });
  }

  #deliver(
    listener: () => Listener | undefined,
    request: SimulatedRequest,
    {
      gone,
      cutAt,
      tell,
    }: {
      readonly gone: AbortController;
      readonly cutAt: number | undefined;
      readonly tell: (label: string, outcome: Outcome) => void;
    },
  ): void {
    const order = this.#sent++;
    const arrive = (): void => {
      if (order < this.#lastArrived) this.#weather.count("reorder");
      this.#lastArrived = order;
      const to = listener();
      if (to === undefined) {
        tell(`is refused`, { kind: "refused" });
        return;
      }
      if (to.process.pausedUntil > this.#agenda.now) {
        // The machine takes it in; the server reads it once it runs.
        this.#agenda.after(
          to.process.pausedUntil - this.#agenda.now + 1,
          WIRE,
          "is read after a pause",
          arrive,
        );
        return;
      }
      const isAnswerCut = this.#weather.strikes("cut answer");
      const accepted = to.accept({
        request: requestOf(request, gone.signal, cutAt),
        answer: ({ status, headers, body }) => {
          this.#agenda.note(`${to.process.name} answers ${status} ${body.length} to ${request.path}`);
          if (isAnswerCut || cutAt !== undefined) tell("sees a broken answer", { kind: "broken" });
          else tell("is answered", { kind: "answered", status, headers, body });
          if (isAnswerCut && this.#random.chance(0.5)) gone.abort();
        },
        breakOff: () => tell("sees its connection break", { kind: "broken" }),
      });
      if (!accepted) tell(`is refused`, { kind: "refused" });
      if (cutAt !== undefined) {
        this.#agenda.after(1, WIRE, "a connection breaks", () => gone.abort());
        tell("sees its connection break", { kind: "broken" });
      }
    };
    this.#agenda.after(this.latency(), WIRE, `${request.method} ${request.path} arrives`, arrive);
  }

  #sent = 0;
  #lastArrived = 0;
  readonly #open = new Map<Process, Set<() => void>>();

  #whenGone(process: Process, act: () => void): () => void {
    const all = this.#open.get(process) ?? new Set();
    this.#open.set(process, all.add(act));
    return () => void all.delete(act);
  }

  /** The machine closes what the process had open. */
  ended(process: Process): void {
    for (const act of this.#open.get(process) ?? []) act();
    this.#open.delete(process);
  }
}

function requestOf(
  { method, path, key, body, headers }: SimulatedRequest,
  signal: AbortSignal,
  cutAt: number | undefined,
): Request {
  const length = { "content-length": String(Buffer.byteLength(body ?? "")) };
  const json = { "content-type": "application/json" };
  const sent = { authorization: key, ...headers, ...(method === "POST" ? { ...length, ...json } : {}) };
  const content =
    body === undefined ? {} : { body: cutAt === undefined ? body : cutBody(body.slice(0, cutAt)) };
  return new Request(`http://forebay${path}`, { method, headers: sent, signal, ...content });
}

/** The bytes that arrived before the connection broke. */
function cutBody(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
    },
    pull(controller) {
      controller.error(new Error("the connection broke"));
    },
  });
}
