import { ForebayError } from "../domain/errors.ts";
import { type DurationRule, WAIT } from "../domain/policy.ts";
import type { Call } from "./call.ts";
import { parseQuery, type Query } from "./query.ts";

/** A parameter of the query, or a header, as the OpenAPI document describes it; `schema` is JSON Schema. */
export interface Parameter {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A parameter of the query: its description, and how it is read. */
export interface QueryParameter<Value = unknown> extends Parameter {
  /** Its value in a query. Throws INVALID_QUERY. */
  readonly read: (query: Query, name: string) => Value;
}

/** The parameters of an operation, by name. They are checked in this order. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** The values of parameters. */
export type QueryOf<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]: ReturnType<Parameters[Name]["read"]>;
};

/** Reads the parameters of operation `id` from the query of a call. Throws INVALID_QUERY. */
export function queryOf<Parameters extends QueryParameters>(
  id: string,
  parameters: Parameters | undefined,
  call: Pick<Call, "query">,
): QueryOf<Parameters> {
  if (parameters === undefined) throw new Error(`${id} is defined without a query`);
  const query = parseQuery(call.query);
  const values: Record<string, unknown> = {};
  for (const name in parameters) values[name] = parameters[name]?.read(query, name);
  // The loop has read each parameter.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return values as QueryOf<Parameters>;
}

/** An integer; undefined if it is left out, as with all that follow. */
export function integer(min: number, max: number, description: string): QueryParameter<number | undefined> {
  return {
    description,
    schema: { type: "integer", minimum: min, maximum: max },
    read: (query, name) => query.integer(name, min, max),
  };
}

export function milliseconds(
  { min, max }: DurationRule,
  description: string,
): QueryParameter<number | undefined> {
  return integer(min, max, description);
}

export function wait(byDefault: string): QueryParameter<number | undefined> {
  return milliseconds(WAIT, `How long the call is held, ms. Default: ${byDefault}.`);
}

/** `true` or `false`; false if it is left out. */
export function flag(description: string): QueryParameter<boolean> {
  return {
    description,
    schema: { type: "boolean", default: false },
    read: (query, name) => query.flag(name),
  };
}

export function plainText(
  description: string,
  schema: Record<string, unknown> = {},
): QueryParameter<string | undefined> {
  return { description, schema: { type: "string", ...schema }, read: (query, name) => query.text(name) };
}

/** Some of some words: with commas between them, or the parameter repeated. */
export function choices<Word extends string>(
  words: readonly Word[],
  description: string,
): QueryParameter<readonly Word[] | undefined> {
  return {
    description,
    schema: { type: "array", items: { type: "string", enum: words }, minItems: 1 },
    read(query, name) {
      const given = query.texts(name).flatMap((text) => text.split(","));
      const found = words.filter((word) => given.includes(word));
      if (given.every((text) => words.some((word) => word === text))) {
        return given.length === 0 ? undefined : found;
      }
      throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be some of ${words.join(", ")}.`);
    },
  };
}

/** One of some words. */
export function choice<Word extends string>(
  words: readonly Word[],
  description: string,
): QueryParameter<Word | undefined> {
  return {
    description,
    schema: { type: "string", enum: words },
    read(query, name) {
      const given = query.text(name);
      const word = words.find((known) => known === given);
      if (word !== undefined || given === undefined) return word;
      throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be one of ${words.join(", ")}.`);
    },
  };
}
