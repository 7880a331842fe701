import type { Gate } from "@forebay/worker";
import type { Clock } from "../../../domain/clock.ts";
import { errorCode } from "../../../domain/errors.ts";
import { JobFailure } from "../job-failure.ts";
import { say } from "../say.ts";
import { probe } from "./probe.ts";

/** Between two probes of an upstream that is away, ms. While it is there, only every fifth probe is made. */
const PROBE_INTERVAL = 1_000;
const HEALTHY_INTERVALS = 5;

/** Faults of a request that did not reach the server, so it can be repeated. */
const NEVER_ARRIVED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

export interface UpstreamAddress {
  readonly url: URL;
  /** The path that answers below 400 while the upstream works. */
  readonly health: URL | undefined;
}

/** The server behind a worker. While it is away, the gate is closed and requests wait. */
export class Upstream implements Gate {
  readonly #address: UpstreamAddress;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #away: string | undefined = undefined;
  #hasEnded = false;
  #endPause = (): void => undefined;

  constructor(address: UpstreamAddress, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#away === undefined;
  }

  get name(): string {
    return this.#address.url.href;
  }

  readonly onChange = (listener: () => void): void => {
    this.#listeners.add(listener);
  };

  /** Why it cannot work now; undefined if it can. */
  probe(): Promise<string | undefined> {
    return probe(this.#address.url, this.#address.health);
  }

  /** Resolves when it can work, or after `limit` ms with the reason why it cannot. */
  async answersWithin(limit: number): Promise<string | undefined> {
    const giveUpAt = this.#clock.now() + limit;
    for (;;) {
      const reason = await this.probe();
      if (reason === undefined || this.#clock.now() >= giveUpAt) return reason;
      await this.#pause(Math.min(PROBE_INTERVAL, giveUpAt - this.#clock.now()));
    }
  }

  /** Closes the gate while the upstream is away, until `end`. */
  async watch(): Promise<void> {
    for (let beat = 1; !this.#hasEnded; beat++) {
      await this.#pause(PROBE_INTERVAL);
      const isDue = this.#address.health !== undefined && beat % HEALTHY_INTERVALS === 0;
      if (!this.isOpen || isDue) this.#found(await this.probe());
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#endPause();
  }

  /**
   * Sends a request, which waits while the upstream is away. Throws JobFailure if the answer breaks off, or
   * the reason of `signal`.
   */
  async send(request: RequestInit, signal: AbortSignal): Promise<Response> {
    for (;;) {
      await this.#opened(signal);
      try {
        // A new connection each time: a kept one could be closed just when it is used. No time limit: a model
        // may compute for as long as its job may run.
        return await fetch(this.#address.url, { ...request, signal, keepalive: false, timeout: false });
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        if (!NEVER_ARRIVED.has(errorCode(error))) {
          throw new JobFailure(`${this.name} ended the connection before it answered: ${reason}`);
        }
        this.#found(reason);
      }
    }
  }

  #found(away: string | undefined): void {
    const wasOpen = this.isOpen;
    this.#away = away;
    if (wasOpen === this.isOpen) return;
    say(
      away === undefined
        ? `${this.name} is back; takes jobs again`
        : `${this.name} is away (${away}); takes no jobs until it is back`,
    );
    for (const listener of this.#listeners) listener();
  }

  #opened(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (signal.aborted) reject(signal.reason);
      else if (this.isOpen) resolve();
    };
    this.#listeners.add(look);
    signal.addEventListener("abort", look);
    look();
    return promise.finally(() => this.#listeners.delete(look));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const takeBack = this.#clock.after(ms, resolve);
      this.#endPause = () => {
        takeBack();
        resolve();
      };
    });
  }
}
