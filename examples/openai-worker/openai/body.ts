import { ModelError } from "./model-error.ts";

/** Members that say nothing to a model: who asks, and what the asker wants to remember. */
const NOTES = new Set(["user", "metadata", "store", "safety_identifier", "prompt_cache_key"]);

/** Members of which only the value is understood that changes nothing; clients like to send it. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  n: 1,
  best_of: 1,
  echo: false,
  logprobs: false,
  frequency_penalty: 0,
  presence_penalty: 0,
  parallel_tool_calls: true,
  tool_choice: "none",
};

/** The body of a call, whose members are read one by one: what nobody reads is refused. */
export class Body {
  readonly #members: Map<string, unknown>;

  constructor(body: object) {
    this.#members = new Map(Object.entries(body).filter(([, value]) => value !== null));
  }

  /** Takes a member out; undefined where it is absent or null. */
  take(name: string): unknown {
    const value = this.#members.get(name);
    this.#members.delete(name);
    return value;
  }

  /** Throws a ModelError when it is no text. */
  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === "string") return value;
    throw ModelError.badRequest(`${name} must be a text.`, name);
  }

  /** Throws a ModelError when it is neither true nor false. */
  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value === "boolean") return value;
    throw ModelError.badRequest(`${name} must be true or false.`, name);
  }

  /** A number within these bounds. Throws a ModelError when it is none. */
  number(name: string, from: number, to: number): number | undefined {
    const value = this.take(name);
    if (value === undefined || (typeof value === "number" && value >= from && value <= to)) return value;
    throw ModelError.badRequest(`${name} must be a number from ${from} to ${to}.`, name);
  }

  /** A whole number within these bounds. Throws a ModelError when it is none. */
  integer(name: string, from: number, to = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= from && value <= to) return value;
    throw ModelError.badRequest(`${name} must be a whole number from ${from} to ${to}.`, name);
  }

  /** A text, or a list of at most `most` of them. Throws a ModelError when it is neither. */
  texts(name: string, most: number): string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isRight = texts.length >= 1 && texts.length <= most;
    if (isRight && texts.every((text) => typeof text === "string" && text !== "")) return texts.map(String);
    throw ModelError.badRequest(
      `${name} must be a text, or a list of 1 to ${most}; none may be empty.`,
      name,
    );
  }

  /** Throws a ModelError for a member that nobody has taken, and that would change the answer. */
  finish(): void {
    for (const [name, value] of this.#members) {
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (NOTES.has(name) || isEmpty || (name in NEUTRAL && NEUTRAL[name] === value)) continue;
      throw ModelError.badRequest(`This model cannot do ${name}.`, name);
    }
  }
}
