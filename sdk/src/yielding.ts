/** Whether what a handler returned is the yields of its job. */
export function isYielding(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  // Lists and other collections are outputs: of what is iterable, only iterators yield.
  return Symbol.asyncIterator in value || (Symbol.iterator in value && "next" in value);
}
