import type { Check } from "./judge.ts";

/** Something that should not have happened, with all that is needed to see it again. */
export interface Fault {
  readonly check: Check;
  readonly what: string;
  /** Number of the request, or of the rule's scenario: with the seed it repeats the choices. */
  readonly number: number;
  readonly sent: string;
  readonly received: string;
}

/** What a run has done and found. */
export class Journal {
  readonly faults: Fault[] = [];
  /** Requests that were answered. */
  answered = 0;
  /** Held calls that their caller gave up. */
  left = 0;
  /** How often each check was made. */
  readonly checks = new Map<Check, number>();
  /** Answers by operation, then by `ok` or the code of the error. */
  readonly answers = new Map<string, Map<string, number>>();
  /** Longest time to an answer of an operation that is not held, ms. */
  slowest = 0;

  checked(check: Check): void {
    this.checks.set(check, (this.checks.get(check) ?? 0) + 1);
  }

  count(operation: string, verdict: string): void {
    this.answered++;
    const verdicts = this.answers.get(operation) ?? new Map<string, number>();
    this.answers.set(operation, verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1));
  }

  /** The faults of a check, as text to read; at most ten. */
  of(check: Check): string[] {
    return this.faults
      .filter((fault) => fault.check === check)
      .slice(0, 10)
      .map(({ number, what, sent, received }) => `#${number} ${what}\n${sent}\n--- answered\n${received}`);
  }
}
