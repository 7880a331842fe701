import type { Member } from "../member.ts";

/** Rate limits, sizes of bodies, and the memory that they may use. */
export const MEMBERS: readonly Member[] = [
  {
    name: "one request too many",
    breaks: "A window has no more requests than its limit",
    file: "src/http/limits/gate.ts",
    replace: 'if (window.count(now) >= requests) return "requests";',
    by: 'if (window.count(now) > requests) return "requests";',
    caughtBy: { suite: "http", files: ["test/http/rate-limits.test.ts"] },
  },
  {
    name: "window ends early",
    breaks: "A request counts for the whole window",
    file: "src/http/limits/sliding-window.ts",
    replace: "while (this.#used > 0 && (this.#times[this.#first] ?? 0) <= time) {",
    by: "while (this.#used > 0 && (this.#times[this.#first] ?? 0) <= time + 1) {",
    caughtBy: { suite: "http", files: ["test/http/sliding-window.test.ts"] },
  },
  {
    name: "refused requests count",
    breaks: "A refused request is not counted",
    file: "src/http/limits/gate.ts",
    replace: '      if (window.count(now) >= requests) return "requests";',
    by: `      window.add(now);
      if (window.count(now) > requests) return "requests";`,
    caughtBy: { suite: "http", files: ["test/http/rate-limits.test.ts"], test: "refused requests" },
  },
  {
    name: "slot never given back",
    breaks: "A request that was answered frees its place",
    file: "src/http/limits/gate.ts",
    replace: `    leave() {
      inFlight--;`,
    by: `    leave() {
      inFlight -= 0;`,
    caughtBy: { suite: "http", files: ["test/http/rate-limits.test.ts"] },
  },
  {
    name: "workers make no room",
    breaks: "More running workers raise the limit",
    file: "src/domain/rate-limits.ts",
    replace: "return Math.max(requests, runningWorkers * perWorker);",
    by: "return Math.min(requests, requests + runningWorkers * perWorker);",
    caughtBy: { suite: "http", files: ["test/http/dynamic-rate-limits.test.ts"] },
  },
  {
    name: "credit of two servers",
    breaks: "Two servers together keep to a limit of up to 100",
    file: "src/domain/rate-limits.ts",
    replace: "if (others === undefined || limit <= EXACT_LIMIT) return 0;",
    by: "if (others === undefined) return 0;",
    caughtBy: { suite: "http", files: ["test/http/shared-gate.test.ts"] },
  },
  {
    name: "larger body than announced",
    breaks: "The limit of a body holds for its bytes, not only for its Content-Length",
    file: "src/http/body-pieces.ts",
    replace: `    if (length > limit) throw tooLarge(limit);
  }
  return`,
    by: `    if (length > limit * 1_000) throw tooLarge(limit);
  }
  return`,
    caughtBy: { suite: "http", files: ["test/http/inputs/bodies.test.ts"], test: "input 4: run takes" },
  },
  {
    name: "two lengths",
    breaks: "A length that is sent twice is refused",
    file: "src/http/body-headers.ts",
    replace: "if (!LENGTH.test(text)) throw invalidLength();",
    by: 'if (text === "") throw invalidLength();',
    caughtBy: { suite: "http", files: ["test/http/inputs/lengths.test.ts"] },
  },
  {
    name: "budget without end",
    breaks: "Large bodies together have no more memory than their budget",
    file: "src/http/byte-budget.ts",
    replace: "this.#taken === 0 || this.#taken + bytes <= this.#limit",
    by: "this.#taken <= this.#limit",
    caughtBy: { suite: "http", files: ["test/http/byte-budget.test.ts"] },
  },
  {
    name: "budget never given back",
    breaks: "A body that was stored gives its room back",
    file: "src/http/byte-budget.ts",
    replace: "this.#taken = wholeBytes(this.#taken - wholeBytes(bytes));",
    by: "this.#taken = wholeBytes(this.#taken);",
    caughtBy: { suite: "http", files: ["test/http/byte-budget.test.ts"] },
  },
];
