import { kindOf, SYNC_PREFIX } from "./ids.ts";

/** When a job was submitted, ms since 1970, by its id. */
export function submittedAt(id: string): number {
  const [high = "", low = ""] = placeOf(id).split("-");
  return Number.parseInt(high + low, 16);
}

/** The id of a job without what tells its kind: the characters of these are in the order of their time. */
export function placeOf(id: string): string {
  return kindOf(id) === "runsync" ? id.slice(SYNC_PREFIX.length) : id;
}

/** Whether a text can be such a place. */
export function isPlace(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-u1$/.test(text);
}
