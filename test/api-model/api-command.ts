import type * as fc from "fast-check";
import type { ModelSession } from "./model-session.ts";
import type { Tally } from "./tally.ts";

/** What chance decides about a command. */
export interface Roll {
  readonly job: number;
  readonly worker: number;
  readonly number: number;
  /** Whether the command goes for a job that it can succeed on. */
  readonly isApt: boolean;
  readonly isSo: boolean;
}

/** One kind of command: done to server and model; whether it had the effect it is there for. */
export type Act = (session: ModelSession, roll: Roll) => Promise<boolean>;

/** A command of a sequence; fast-check shrinks and prints them. */
export class ApiCommand implements fc.AsyncCommand<object, ModelSession> {
  readonly #kind: string;
  readonly #act: Act;
  readonly #roll: Roll;
  readonly #tally: Tally;

  constructor(kind: string, act: Act, roll: Roll, tally: Tally) {
    this.#kind = kind;
    this.#act = act;
    this.#roll = roll;
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, session: ModelSession): Promise<void> {
    this.#tally.ran(this.#kind);
    const hasSucceeded = await this.#act(session, this.#roll);
    await session.settle();
    if (hasSucceeded) this.#tally.succeeded(this.#kind);
  }

  toString(): string {
    const { job, worker, number, isApt, isSo } = this.#roll;
    return `${this.#kind}(${[job, worker, number, isApt ? "apt" : "any", isSo].join(" ")})`;
  }
}
