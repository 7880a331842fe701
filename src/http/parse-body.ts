import { z } from "zod";
import { ForebayError } from "../domain/errors.ts";
import { MB, readBody } from "./body.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { requireJson } from "./body-headers.ts";
import { scanJson } from "./json/json-scan.ts";

/**
 * The body of a management call as the schema makes it. Throws INVALID_FIELD with the name of the first bad
 * member.
 */
export async function parseBody<Schema extends z.ZodType>(
  context: HttpContext,
  call: Call,
  schema: Schema,
): Promise<z.infer<Schema>> {
  requireJson(call);
  using body = await readBody(call, context.bodies.clients, MB);
  const value = await parseJson(body.bytes);
  refusePrototype(schema, value);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ForebayError("INVALID_FIELD", `${sentenceOf(parsed.error)}.`);
}

/** What is wrong with the first bad member, and which it is. */
function sentenceOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "The body is invalid";
  if (issue.code === "invalid_key") {
    const key = JSON.stringify(issue.path.at(-1));
    return `${issue.path.slice(0, -1).join(".")}: ${key} ${issue.issues[0]?.message ?? "is no name"}`;
  }
  const place = issue.path.join(".");
  return place === "" ? issue.message : `${place}: ${issue.message}`;
}

/** A schema would leave it out of names and values that the caller chooses, unsaid. */
function refusePrototype(schema: z.ZodType, body: unknown): void {
  if (!(schema instanceof z.ZodObject) || typeof body !== "object" || body === null) return;
  for (const [member, value] of Object.entries(body)) {
    // What nobody knows is left out as a whole.
    if (!Object.hasOwn(schema.shape, member)) continue;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, "__proto__")) continue;
    throw new ForebayError("INVALID_FIELD", `${member}: "__proto__" is no name that can be kept.`);
  }
}

async function parseJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length === 0) return {};
  // Told of all its values, it is refused when it has so many that building them would take long.
  await scanJson(bytes, Infinity);
  return JSON.parse(new TextDecoder().decode(bytes));
}
