import { isDeepStrictEqual } from "node:util";
import type { Payload } from "../../../src/domain/payload.ts";
import type { Store } from "../../../src/store/store.ts";
import { START } from "../../contract/queue.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { forceOrder, type HeldAt } from "./force-order.ts";
import { emptyDatabase, shownAnswer, shownData } from "./shown-data.ts";
import { type Move, NOW, type Place, placeOf, type Side, type Situation } from "./situation.ts";
import type { TwoStores } from "./two-stores.ts";

/** What came of two steps: their answers, and every row afterwards. */
export interface Outcome {
  readonly first: string;
  readonly second: string;
  readonly rows: readonly string[];
}

/** How the two servers meet. */
export type Meeting = HeldAt | "afterCommit";

/** Which server has made the rows, so that it may have them in its cache. */
export interface Makers {
  /** Up to the first hand-out. */
  readonly first: "one" | "other";
  /** What follows; undefined: the same. */
  readonly later?: "one" | "other";
}

export interface Verdict {
  readonly name: string;
  /** The second server had to wait for the first. */
  readonly hasWaited: boolean;
  /** It passed over what the first had locked, and found it the next time. */
  readonly hasPassed: boolean;
  /**
   * What is wrong, with what would be right (nothing: it should not have waited); undefined: the outcome is
   * that of an order.
   */
  readonly fault: { readonly got: Outcome; readonly allowed: readonly Outcome[] } | undefined;
}

const LARGE = new Uint8Array(70_000).fill(120);

let cases = 0;

/** What comes of two moves one after the other, by their names; several pairs of servers share it. */
export type SerialOutcomes = Map<string, Promise<Outcome>>;

/** Runs pairs of moves of one situation in forced orders. */
export class Pairs {
  readonly #stores: TwoStores;
  readonly #situation: Situation;
  readonly #serial: SerialOutcomes;

  constructor(stores: TwoStores, situation: Situation, serial: SerialOutcomes) {
    this.#stores = stores;
    this.#situation = situation;
    this.#serial = serial;
  }

  /**
   * The first server stands at a place inside its transaction while the second one acts, or is done before.
   * The outcome must be that of the order in which they have committed.
   */
  async run(first: Move, second: Move, meeting: Meeting, makers: Makers): Promise<Verdict> {
    const { one, other, admin } = this.#stores;
    const made = `made by ${makers.first}, then ${makers.later ?? makers.first}`;
    const name = `${first.name}, then ${second.name} (${meeting}, ${made})`;
    const inOrder = await this.#inTurn({ first, second }, ["first", "second"]);
    const inReverse = await this.#inTurn({ first, second }, ["second", "first"]);
    const place = await this.#prepare(makers);
    const act = () => send(one.store, first, place, "first");
    const actMeanwhile = () => send(other.store, second, place, "second");
    if (meeting === "afterCommit") {
      const got = await this.#outcome(place, { first: await act(), second: await actMeanwhile() });
      return { name, hasWaited: false, hasPassed: false, ...judge(got, [inOrder]) };
    }
    const { hasWaited, ...answers } = await forceOrder(admin, one, meeting, act, actMeanwhile);
    const got = await this.#outcome(place, answers);
    const verdict = { name, hasWaited, hasPassed: false };
    const mayWait = second.neverWaits !== true || first.locksEndpoint === true;
    if (hasWaited) return { ...verdict, ...judge(got, mayWait ? [inOrder] : []) };
    // Both were under way at the same time, so either order is right.
    const judged = judge(got, [inReverse, inOrder]);
    if (judged.fault === undefined || second.skips !== true) return { ...verdict, ...judged };
    // It must find later what it has passed over, and have done nothing else.
    const again = await this.#outcome(place, { ...answers, second: await actMeanwhile() });
    return { ...verdict, hasPassed: true, ...judge(again, [inOrder]) };
  }

  /** Both one after the other on one server. */
  #inTurn(moves: Readonly<Record<Side, Move>>, order: readonly [Side, Side]): Promise<Outcome> {
    const name = `${moves.first.name}\n${moves.second.name}\n${order[0]}`;
    const outcome = this.#serial.get(name) ?? this.#runInTurn(moves, order);
    this.#serial.set(name, outcome);
    return outcome;
  }

  async #runInTurn(moves: Readonly<Record<Side, Move>>, order: readonly [Side, Side]): Promise<Outcome> {
    const { store } = this.#stores.one;
    const place = await this.#prepare({ first: "one" });
    const answers: Record<Side, unknown> = { first: undefined, second: undefined };
    for (const side of order) answers[side] = await send(store, moves[side], place, side);
    return this.#outcome(place, answers);
  }

  async #prepare({ first, later = first }: Makers): Promise<Place> {
    const { store } = this.#stores[first];
    await emptyDatabase(this.#stores.admin);
    const endpoint = `endpoint-of-case-${++cases}`;
    const stored: Payload | undefined =
      this.#situation.hasStoredPayload === true ? await store.writePayload(LARGE) : undefined;
    const place = placeOf(endpoint, stored);
    await store.apply([{ step: "put", record: endpointRecord(endpoint) }], START);
    const calls = this.#situation.before(place);
    const handOut = calls.findIndex((steps) => steps.some(({ step }) => step === "take"));
    for (const [index, steps] of calls.entries()) {
      const maker = index <= handOut ? store : this.#stores[later].store;
      await maker.apply(steps, START);
    }
    return place;
  }

  async #outcome({ endpoint }: Place, answers: { first: unknown; second: unknown }): Promise<Outcome> {
    return {
      first: shownAnswer(answers.first, endpoint),
      second: shownAnswer(answers.second, endpoint),
      rows: await shownData(this.#stores.admin, endpoint),
    };
  }
}

async function send(store: Store, { step, time = NOW }: Move, place: Place, side: Side): Promise<unknown> {
  const [answer] = await store.apply([step(place, side)], time);
  return answer;
}

function judge(got: Outcome, allowed: readonly Outcome[]): Pick<Verdict, "fault"> {
  const isRight = allowed.some((outcome) => isDeepStrictEqual(got, outcome));
  return { fault: isRight ? undefined : { got, allowed } };
}
