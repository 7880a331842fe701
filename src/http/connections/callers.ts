import type { Call } from "../call.ts";
import { canonicalAddress } from "./sockets.ts";

/** A request, and whether it has shown a valid key. */
export interface GuardedCall extends Pick<Call, "request" | "hasKey"> {
  /** Its place among the requests in flight; -1 if it is not one of them. */
  place: number;
}

/** Where a request comes from; null once its connection is closed. */
export type AddressOf = (request: Request) => { readonly address: string; readonly port: number } | null;

/** Which connections have requests in flight, and which had one with a key. */
export class Callers {
  readonly #addressOf: AddressOf;
  /**
   * Not a Set: its tables that grew full survive until the next full garbage collection, with all requests
   * that they had.
   */
  readonly #inFlight: GuardedCall[] = [];
  /** When the last request with a key was answered, by connection. */
  readonly #keyed = new Map<string, number>();
  /** Whether connections with a key are noted, which costs 1 µs for each request. */
  #isWatching = true;
  #time = 0;

  constructor(addressOf: AddressOf) {
    this.#addressOf = addressOf;
  }

  began(call: GuardedCall): void {
    call.place = this.#inFlight.push(call) - 1;
  }

  /** The call has been answered. */
  ended(call: GuardedCall): void {
    this.#remove(call);
    if (!this.#isWatching || !call.hasKey) return;
    const name = this.#nameOf(call);
    if (name !== undefined) this.#keyed.set(name, this.#time);
  }

  /** From now on the time is `now`, ms. Connections with a key are noted if `isWatching`. */
  watch(now: number, isWatching: boolean): void {
    this.#time = now;
    this.#isWatching = isWatching;
    if (!isWatching) this.#keyed.clear();
  }

  /** Whether the request in flight has shown a key, by connection. */
  calling(): ReadonlyMap<string | undefined, boolean> {
    return new Map(this.#inFlight.map((call) => [this.#nameOf(call), call.hasKey]));
  }

  /** When the last request with a key was answered on this connection; undefined if none was. */
  keyedAt(name: string): number | undefined {
    return this.#keyed.get(name);
  }

  /** Forgets all connections but these. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#keyed.keys()) if (!names.has(name)) this.#keyed.delete(name);
  }

  /** The last one moves to its place. */
  #remove(call: GuardedCall): void {
    const { place } = call;
    const last = place === -1 ? undefined : this.#inFlight.pop();
    if (last === undefined) return;
    if (last !== call) this.#inFlight[place] = last;
    last.place = place;
    call.place = -1;
  }

  #nameOf({ request }: GuardedCall): string | undefined {
    const from = this.#addressOf(request);
    return from === null ? undefined : `${canonicalAddress(from.address)} ${from.port}`;
  }
}
