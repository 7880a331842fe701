/** The first `limit` items, up to the first one that `isMeant` does not hold for. */
export function firstOf<Item>(
  items: Iterable<Item>,
  limit: number,
  isMeant: (item: Item) => boolean = () => true,
): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length >= limit || !isMeant(item)) break;
    taken.push(item);
  }
  return taken;
}
