/** What stands for a value where two are compared. */
export function digestOf(value: unknown): string {
  return Bun.hash(JSON.stringify(value) ?? "").toString(36);
}
