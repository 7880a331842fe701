import type { ErrorCode } from "../../src/domain/errors.ts";
import { type Draft, requestBytes } from "./draft.ts";
import type { Journal } from "./journal.ts";
import { type Check, isRefusedByRate, judge, type Verdict } from "./judge.ts";
import { type RawAnswer, RawConnection } from "./raw-connection.ts";

/** What must come of a request. */
export interface Expected {
  /** Number of the request, for the journal. */
  readonly number: number;
  /** What was done to the request. */
  readonly what: string;
  /** Any other verdict is a fault. */
  readonly verdicts: ReadonlySet<Verdict> | readonly ("ok" | ErrorCode)[];
  /** What a fault is held against; without it, acceptance or rejection. */
  readonly check?: Check;
  /** After how many ms the caller of a held operation gives up; without it, never. */
  readonly patience?: number;
}

export interface Answered {
  readonly verdict: Verdict;
  // oxlint-disable-next-line typescript/no-explicit-any -- the answers are what is tested
  readonly json: any;
  readonly answer: RawAnswer;
}

/** An answer that has not come by then does not come, ms. */
const LIMIT = 20_000;

/** How much of a request or an answer stands in the journal. */
const SHOWN = 1_200;

/** One client: it sends one request after the other on one connection, and judges each answer. */
export class FuzzClient {
  readonly #connection: RawConnection;
  readonly #journal: Journal;
  /** What went before on the connection: a server may have been left in disorder by it. */
  #before = "nothing";

  constructor(url: string, journal: Journal) {
    this.#connection = new RawConnection(url);
    this.#journal = journal;
  }

  /** The answer, or undefined when there was none that tells anything. */
  async send(draft: Draft, expected: Expected): Promise<Answered | undefined> {
    const journal = this.#journal;
    const { operation, method } = draft;
    const bytes = requestBytes(draft);
    const startedAt = performance.now();
    const outcome = await this.#connection.send(bytes, method === "HEAD", expected.patience ?? LIMIT);
    const before = this.#before;
    const fault = (check: Check, what: string): void => {
      const sent = `after ${before}\n${shown(bytes)}`;
      const received = typeof outcome === "string" ? outcome : `${outcome.status} ${shown(outcome.body)}`;
      const { number } = expected;
      journal.faults.push({
        check,
        what: `${operation.name}, ${expected.what}: ${what}`,
        number,
        sent,
        received,
      });
    };
    const ended = typeof outcome === "string" ? outcome : outcome.status;
    this.#before = `${method} ${draft.path.slice(0, 100)}, ${expected.what}: ${ended}`;
    // The server may still wait for what was announced and never comes.
    if (draft.announced !== undefined) this.close();
    journal.checked("answered");
    if (this.#connection.unasked > 0) fault("answered", "more came than one answer");
    this.#connection.unasked = 0;
    if (outcome === "left" && expected.patience !== undefined) {
      journal.left++;
      return undefined;
    }
    if (typeof outcome === "string") {
      fault("answered", outcome === "cut" ? "the connection was closed" : `no answer in ${LIMIT} ms`);
      return undefined;
    }
    if (!operation.isHeld) journal.slowest = Math.max(journal.slowest, performance.now() - startedAt);
    const { verdict, json, faults } = judge(draft, outcome);
    for (const check of ["not_a_server_error", "response_schema_conformance"] as const)
      journal.checked(check);
    for (const { check, what } of faults) fault(check, what);
    journal.count(operation.name, verdict ?? "?");
    if (verdict === undefined) return undefined;
    this.#hold(verdict, expected, fault);
    return { verdict, json, answer: outcome };
  }

  close(): void {
    this.#connection.close();
  }

  #hold(verdict: Verdict, { verdicts, check }: Expected, fault: (check: Check, what: string) => void): void {
    const allowed = new Set<Verdict>(verdicts);
    const isAccepting = allowed.has("ok");
    const held = check ?? (isAccepting ? "positive_data_acceptance" : "negative_data_rejection");
    this.#journal.checked(held);
    if (allowed.has(verdict) || isRefusedByRate(verdict)) return;
    fault(held, `answered ${verdict} in the place of ${[...allowed].join(" or ")}`);
  }
}

function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, SHOWN)).toString();
  return bytes.length > SHOWN ? `${text}… (${bytes.length} bytes)` : text;
}
