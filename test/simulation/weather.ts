import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";
import type { Tally } from "./tally.ts";

/** What can happen to messages, calls of the store and receivers while a window of faults is open. */
export const WINDOW_FAULTS = [
  /** The request never arrives; its sender sees a reset, or nothing until its own timeout. */
  "drop",
  "delay",
  /** The request arrives a second time, later. */
  "duplicate",
  /** The request arrives, the answer never does, and the server does not learn that its caller gave up. */
  "half-open",
  /** The connection breaks at some byte of the body of the request. */
  "cut request",
  /** The connection breaks at some byte of the answer. */
  "cut answer",
  /** The caller hangs up before it has an answer. */
  "hang-up",
  /** What one server tells another is lost, or late. */
  "signal lost",
  "signal late",
  /** The disk is full. */
  "disk full",
  /** The database does not answer; what was asked has happened, or not. */
  "commit unknown",
  /** A read fails. */
  "read fails",
  /** Receivers of webhooks. */
  "receiver refuses",
  "receiver hangs",
  "receiver answers 500",
  "receiver resets",
] as const;

export type WindowFault = (typeof WINDOW_FAULTS)[number];

const OF_STORE: ReadonlySet<WindowFault> = new Set(["disk full", "commit unknown", "read fails"]);

/** Calls of workers do not meet these. */
const HARMLESS: ReadonlySet<WindowFault> = new Set([
  "signal lost",
  "signal late",
  "receiver refuses",
  "receiver hangs",
  "receiver answers 500",
  "receiver resets",
]);

interface Window {
  readonly until: number;
  readonly chance: number;
  readonly random: Random;
}

/** The windows that are open. Each draws from a stream of its own, so that one can go and the others stay. */
export class Weather {
  readonly #windows = new Map<WindowFault, Window[]>();

  readonly #agenda: Agenda;
  readonly #tally: Tally;

  constructor(agenda: Agenda, tally: Tally) {
    this.#agenda = agenda;
    this.#tally = tally;
  }

  open(fault: WindowFault, window: Window): void {
    this.#windows.set(fault, [...(this.#windows.get(fault) ?? []), window]);
  }

  /** When a call of the store failed last. */
  storeFailedAt = 0;
  /** When a message or a call of the store met a fault last. */
  struckAt = 0;

  /** Faults stop. */
  clear(): void {
    this.#windows.clear();
  }

  /** Whether it happens now. */
  strikes(fault: WindowFault): boolean {
    const windows = this.#windows.get(fault);
    if (windows === undefined) return false;
    const open = windows.filter(({ until }) => until > this.#agenda.now);
    if (open.length === 0) this.#windows.delete(fault);
    const strikes = open.some(({ chance, random }) => random.chance(chance));
    if (strikes) this.count(fault);
    if (strikes && OF_STORE.has(fault)) this.storeFailedAt = this.#agenda.now;
    if (strikes && !HARMLESS.has(fault)) this.struckAt = this.#agenda.now;
    return strikes;
  }

  count(fault: string): void {
    this.#tally.add(`fault ${fault}`);
    this.#agenda.note(`fault ${fault}`);
  }
}
