import type { SeededRandom } from "../crash/seeded-random.ts";
import { type Draft, type Target, validDraft } from "./draft.ts";
import type { Members } from "./body-rule.ts";
import type { Answered, Expected, FuzzClient } from "./fuzz-client.ts";
import { FUZZED_ENDPOINT } from "./fuzzed-endpoint.ts";
import type { Journal } from "./journal.ts";
import { type Check, isRefusedByRate } from "./judge.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import type { KnownWorker, World } from "./world.ts";

interface Stage {
  readonly client: FuzzClient;
  readonly journal: Journal;
  readonly check: Check;
  readonly number: number;
  readonly random: SeededRandom;
  readonly world: World;
}

/** Things of its own, of which no other client knows, so that what must be answered is known exactly. */
export class Scenario {
  readonly random: SeededRandom;
  readonly world: World;
  readonly #client: FuzzClient;
  readonly #journal: Journal;
  readonly #check: Check;
  readonly #number: number;

  constructor({ client, journal, check, number, random, world }: Stage) {
    this.#client = client;
    this.#journal = journal;
    this.#check = check;
    this.#number = number;
    this.random = random;
    this.world = world;
  }

  /**
   * A request that is right but for what `edit` does to it, and must be answered with one of `verdicts`. What
   * comes too often for its rate limit is sent again when the answer says so.
   */
  async ask(
    operation: Operation,
    target: Target,
    verdicts: Expected["verdicts"] = ["ok"],
    edit: (draft: Draft) => void = () => {},
  ): Promise<Answered | undefined> {
    const draft = validDraft(operation, target, this.random, this.world);
    edit(draft);
    const what = `${this.#check} in ${draft.path}`;
    for (;;) {
      const expected = { number: this.#number, what, verdicts, check: this.#check };
      const answered = await this.#client.send(draft, expected);
      if (answered === undefined || !isRefusedByRate(answered.verdict)) return answered;
      await Bun.sleep(Number(answered.answer.headers.get("retry-after")) * 1_000);
    }
  }

  /** The same; its answer is needed to go on. */
  async must(operation: Operation, target: Target, edit?: (draft: Draft) => void): Promise<Answered["json"]> {
    const answered = await this.ask(operation, target, ["ok"], edit);
    if (answered?.verdict !== "ok") throw new ScenarioOver();
    return answered.json;
  }

  /** What must be true of the answers together; `what` says what is wrong when it is not. */
  holds(isTrue: boolean, what: string): void {
    this.#journal.checked(this.#check);
    const fault = { check: this.#check, what, number: this.#number, sent: "", received: "" };
    if (!isTrue) this.#journal.faults.push(fault);
  }

  async endpoint(): Promise<string> {
    const { id } = await this.must(OPERATIONS.createEndpoint, {}, fuzzedEndpoint);
    return id;
  }

  async worker(endpoint: string): Promise<KnownWorker> {
    const { workerId: id, env } = await this.must(OPERATIONS.createWorker, { endpoint });
    return { endpoint, id, token: env.FOREBAY_WORKER_TOKEN };
  }

  async job(endpoint: string): Promise<string> {
    const { id } = await this.must(OPERATIONS.run, { endpoint });
    return id;
  }
}

/** A step that the rest builds on was refused, which stands in the journal already. */
export class ScenarioOver extends Error {}

/** Makes the endpoint one of the run's, without workers that Forebay would start. */
export function fuzzedEndpoint(draft: Draft): void {
  const name = (draft.members ?? []).filter(([member]) => member === "name");
  const fields = Object.entries(FUZZED_ENDPOINT).map(([member, value]): Members[number] => [
    member,
    JSON.stringify(value),
  ]);
  draft.members = [...name, ...fields];
}
