import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { sortedList } from "../../../src/store/memory/sorted-list.ts";
import { property } from "../../contract/property.ts";

interface Item {
  readonly value: number;
}

/** Many runs of neighbours, so that blocks are filled, divided and emptied. */
const commands = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 5_000 }),
    count: fc.integer({ min: 1, max: 700 }),
    add: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

describe("a sorted list", () => {
  test("walks up and down from any place like a sorted array", async () => {
    await property(fc.tuple(commands, fc.integer({ min: -1, max: 6_000 })), 200, async ([all, bound]) => {
      const list = sortedList<Item>((one, other) => one.value - other.value);
      const items = new Map<number, Item>();
      for (const { from, count, add } of all) {
        for (let value = from; value < from + count; value++) {
          const known = items.get(value);
          if (add === (known !== undefined)) continue;
          const item = known ?? { value };
          if (add) list.add(item);
          else list.remove(item);
          if (add) items.set(value, item);
          else items.delete(value);
        }
      }
      const sorted = [...items.keys()].toSorted((one, other) => one - other);
      const values = (walk: Iterable<Item>) => [...walk].map(({ value }) => value);

      expect(list.size).toBe(sorted.length);
      expect(values(list.ascending())).toEqual(sorted);
      expect(values(list.descending())).toEqual(sorted.toReversed());
      const above = values(list.ascending(({ value }) => value < bound));
      expect(above).toEqual(sorted.filter((value) => value >= bound));
      const below = values(list.descending(({ value }) => value < bound));
      expect(below).toEqual(sorted.filter((value) => value < bound).toReversed());
    });
  });

  test("an item that is not where it should be is an error, not another item less", () => {
    const list = sortedList<Item>((one, other) => one.value - other.value);
    list.add({ value: 1 });
    expect(() => list.remove({ value: 1 })).toThrow("not where it should be");
    expect(list.size).toBe(1);
  });

  test("among 100,000 items one is found with few comparisons, wherever it stands", () => {
    let compared = 0;
    const list = sortedList<Item>((one, other) => {
      compared++;
      return one.value - other.value;
    });
    const items = Array.from({ length: 100_000 }, (_, at) => ({ value: (at * 7_919) % 100_000 }));
    for (const item of items) list.add(item);
    for (const item of [items[0], items[50_000], items[99_999]]) {
      if (item === undefined) continue;
      compared = 0;
      list.remove(item);
      list.add(item);
      expect(compared).toBeLessThan(50);
    }
  });
});
