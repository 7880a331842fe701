import type { Part } from "../reply.ts";

/** An object as JSON, with further members behind its own, whose values are JSON already. */
export function objectParts(object: object, members: Readonly<Record<string, readonly Part[]>>): Part[] {
  const parts: Part[] = [JSON.stringify(object).slice(0, -1)];
  for (const [name, value] of Object.entries(members)) parts.push(`,"${name}":`, ...value);
  parts.push("}");
  return parts;
}
