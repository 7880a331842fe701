/** A value of the configuration: where it can come from, what it is otherwise, and what it may be. */
export interface Row<Value> {
  readonly env: string;
  readonly flag: string;
  readonly default: Value;
  /** The value that a text stands for; throws a sentence that says what was expected. */
  readonly parse: (text: string) => Value;
  readonly sentence: string;
}

/** The default says what kind of value it is. */
export function row<Value>(
  env: string,
  flag: string,
  byDefault: Value,
  parse: (text: string) => Value,
  sentence: string,
): Row<Value> {
  return { env, flag, default: byDefault, parse, sentence };
}
