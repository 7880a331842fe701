import type { Endpoint } from "../../answers.ts";
import { type Pairs, recordOf } from "../../parts/pairs.tsx";
import { type Member, MEMBERS } from "./endpoint-members.ts";

/** The typed value of a setting: the text of a field, or rows. */
export type TypedValue = string | Pairs;

/** The value of a setting as a user types it. */
export function typedValue({ name, kind }: Member, endpoint: Partial<Endpoint>): TypedValue {
  const value = endpoint[name];
  if (kind === "list") return Array.isArray(value) ? value.join("\n") : "";
  if (kind === "limits") return limitPairs(endpoint.rateLimits);
  if (kind === "pairs" || kind === "hidden") {
    const pairs = Object.entries(value ?? {});
    return pairs.map(([each, text]) => [each, kind === "hidden" ? "" : String(text)]);
  }
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? String(value) : "";
}

/** The settings that were typed, by their names, as they are sent. */
export function sentMembers(typed: Readonly<Record<string, TypedValue>>): Record<string, unknown> {
  const entries = Object.entries(typed).map(([name, value]) => {
    const member = MEMBERS.get(name);
    return [name, member === undefined ? value : sentValue(member, value)];
  });
  return Object.fromEntries(entries);
}

/** The value of a setting as it is sent. The server reports what is wrong with it. */
function sentValue({ kind }: Member, value: TypedValue): unknown {
  if (typeof value !== "string") return kind === "limits" ? limitsOf(value) : recordOf(value);
  if (kind === "list") return value.split("\n").filter((line) => line !== "");
  if (kind === "flag") return value === "true";
  return kind === "integer" ? figureOf(value) : value;
}

/** Null, the default, if nothing is typed. */
function figureOf(text: string): number | string | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** `{"run": {"requests": 5000}}` as `run.requests` and `5000`. */
function limitPairs(limits: Endpoint["rateLimits"]): Pairs {
  return Object.entries(limits ?? {}).flatMap(([operation, figures]) =>
    Object.entries(figures ?? {}).map(
      ([figure, value]) => [`${operation}.${figure}`, String(value)] as const,
    ),
  );
}

function limitsOf(pairs: Pairs): object | null {
  const limits: Record<string, Record<string, unknown>> = {};
  for (const [path, text] of pairs) {
    const value = figureOf(text);
    if (value === null) continue;
    const [operation = "", figure = ""] = path.split(".");
    limits[operation] = { ...limits[operation], [figure]: value };
  }
  return Object.keys(limits).length === 0 ? null : limits;
}
