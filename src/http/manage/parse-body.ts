import type { z } from "zod";
import { ForebayError } from "../../domain/errors.ts";
import { MB, withBody } from "../body.ts";
import type { Call } from "../call.ts";
import { clientBody, type HttpContext } from "../context.ts";
import { requireJson } from "../media-type.ts";
import { scanJson } from "../json/json-scan.ts";

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
  const value = await withBody(call, clientBody(context, MB), (body) => parseJson(body));
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

async function parseJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length === 0) return {};
  // Told of all its values, it is refused when it has so many that building them would take long.
  await scanJson(bytes, Infinity);
  return JSON.parse(new TextDecoder().decode(bytes));
}
