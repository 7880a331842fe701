import { z } from "zod";
import { ForebayError } from "../domain/errors.ts";
import { MB, readBody } from "./body.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { requireJson } from "./body-headers.ts";
import { issueSentence } from "./issue-sentence.ts";
import { scanJson } from "./json/json-scan.ts";

/**
 * The body of a management call, parsed by the schema. Throws INVALID_FIELD with the name of the first bad
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
  const parsed = schema.safeParse(value, { error: issueSentence });
  if (parsed.success) return parsed.data;
  throw new ForebayError("INVALID_FIELD", `${sentenceOf(parsed.error)}.`);
}

/** Names the first bad member, and what is wrong with it. */
function sentenceOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "The body is invalid";
  if (issue.code === "invalid_key") {
    const key = JSON.stringify(issue.path.at(-1));
    return `${issue.path.slice(0, -1).join(".")}: ${key} ${issue.issues[0]?.message ?? "is invalid"}`;
  }
  const place = issue.path.join(".");
  return place === "" ? `The body ${issue.message}` : `${place}: ${issue.message}`;
}

/** A schema would silently drop this name from names and values that the caller chooses. */
function refusePrototype(schema: z.ZodType, body: unknown): void {
  if (!(schema instanceof z.ZodObject) || typeof body !== "object" || body === null) return;
  for (const [member, value] of Object.entries(body)) {
    // Unknown members are dropped as a whole.
    if (!Object.hasOwn(schema.shape, member)) continue;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, "__proto__")) continue;
    throw new ForebayError(
      "INVALID_FIELD",
      `${member}: the name "__proto__" is not supported. Choose another name.`,
    );
  }
}

async function parseJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length === 0) return {};
  // With nodes for all values, a body that has too many is refused before they are created.
  await scanJson(bytes, Infinity);
  return JSON.parse(new TextDecoder().decode(bytes));
}
