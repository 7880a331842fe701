import { DURATION_FORM, durationIn, durationInUnits } from "../../../../src/domain/duration-text.ts";
import { ApiError } from "../../api.ts";
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
  if (typeof value === "number" && isDuration(kind)) return durationInUnits(value * UNITS[kind]);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? String(value) : "";
}

/** The unit of the API, ms. */
const UNITS = { milliseconds: 1, seconds: 1_000 } as const;

function isDuration(kind: Member["kind"]): kind is keyof typeof UNITS {
  return Object.hasOwn(UNITS, kind);
}

/** The settings that were typed, by their names, as they are sent. Throws ApiError if one is no duration. */
export function sentMembers(typed: Readonly<Record<string, TypedValue>>): Record<string, unknown> {
  const entries = Object.entries(typed).map(([name, value]) => {
    const member = MEMBERS.get(name);
    return [name, member === undefined ? value : sentValue(member, value)];
  });
  return Object.fromEntries(entries);
}

/** The value of a setting as it is sent. The server reports what is wrong with it. Throws ApiError. */
function sentValue({ name, kind }: Member, value: TypedValue): unknown {
  if (typeof value !== "string") return kind === "limits" ? limitsOf(value) : recordOf(value);
  if (kind === "list") return value.split("\n").filter((line) => line !== "");
  if (kind === "flag") return value === "true";
  if (kind === "text" && value === "") return null;
  if (isDuration(kind)) return durationValue(name, value, kind) ?? null;
  return kind === "integer" ? figureOf(value) : value;
}

/** In the unit of the API; undefined, the default, if nothing is typed. */
function durationValue(name: string, text: string, kind: keyof typeof UNITS): number | undefined {
  if (text.trim() === "") return undefined;
  const duration = durationIn(text);
  if (duration !== undefined) return duration / UNITS[kind];
  throw new ApiError(`${name}: must be ${DURATION_FORM}`, "INVALID_FIELD", 400);
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
