import type { Journal } from "./journal.ts";
import { SortedList } from "./sorted-list.ts";

/** Rows by their keys. A row is never changed: another one takes its place. */
export interface Table<Row extends object> {
  get(key: string): Row | undefined;
  /** In no order that means anything, but always in the same one. */
  all(): Iterable<Row>;
  /** Writes the row, in the place of the one with its key if there is one. */
  put(row: Row): void;
  remove(key: string): void;
  /** To be called before there are rows. */
  index(definition: IndexDefinition<Row>): Index<Row>;
}

export interface IndexDefinition<Row> {
  /** The rows of each group stand in an order; a row without a group is not in the index. */
  readonly group: (row: Row) => string | undefined;
  /** Rows that it does not tell apart stand in the order of their keys. */
  readonly compare: (one: Row, other: Row) => number;
}

/** Nobody may change the table while rows of an index are walked along. */
export interface Index<Row> {
  groups(): Iterable<string>;
  size(group: string): number;
  /** Upwards, from the first row that `skips` does not leave out: it holds for the lowest rows. */
  ascending(group: string, skips?: (row: Row) => boolean): Generator<Row, void>;
  /** Downwards, from the last row that `reaches` holds for: it holds for the lowest rows. */
  descending(group: string, reaches?: (row: Row) => boolean): Generator<Row, void>;
}

/** Where a row stands: it stays while one row takes the place of another. */
interface Entry<Row> {
  readonly key: string;
  row: Row;
}

interface KeptIndex<Row> {
  /** Whether the row stands elsewhere than the other one would. */
  moves(before: Row, after: Row): boolean;
  add(entry: Entry<Row>): void;
  remove(entry: Entry<Row>): void;
}

/** `keyOf` must not change while a row is there. Each change is noted in the journal. */
export function newTable<Row extends object>(journal: Journal, keyOf: (row: Row) => string): Table<Row> {
  const entries = new Map<string, Entry<Row>>();
  const indexes: KeptIndex<Row>[] = [];

  function add(entry: Entry<Row>): void {
    entries.set(entry.key, entry);
    for (const index of indexes) index.add(entry);
  }

  function drop(entry: Entry<Row>): void {
    for (const index of indexes) index.remove(entry);
    entries.delete(entry.key);
  }

  function replace(entry: Entry<Row>, row: Row): void {
    const moving = indexes.filter((index) => index.moves(entry.row, row));
    for (const index of moving) index.remove(entry);
    entry.row = row;
    for (const index of moving) index.add(entry);
  }

  return {
    get: (key) => entries.get(key)?.row,

    *all() {
      for (const { row } of entries.values()) yield row;
    },

    put(row) {
      const key = keyOf(row);
      const entry = entries.get(key);
      if (entry === undefined) {
        const added = { key, row };
        add(added);
        journal.note(() => drop(added));
      } else {
        const before = entry.row;
        replace(entry, row);
        journal.note(() => replace(entry, before));
      }
    },

    remove(key) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      drop(entry);
      journal.note(() => add(entry));
    },

    index(definition) {
      const { kept, index } = newIndex(definition);
      indexes.push(kept);
      return index;
    },
  };
}

function newIndex<Row extends object>({
  group,
  compare,
}: IndexDefinition<Row>): {
  readonly kept: KeptIndex<Row>;
  readonly index: Index<Row>;
} {
  const lists = new Map<string, SortedList<Entry<Row>>>();
  const compareEntries = (one: Entry<Row>, other: Entry<Row>): number =>
    compare(one.row, other.row) || compareTexts(one.key, other.key);

  return {
    kept: {
      moves: (before, after) => group(before) !== group(after) || compare(before, after) !== 0,

      add(entry) {
        const name = group(entry.row);
        if (name === undefined) return;
        const list = lists.get(name) ?? new SortedList(compareEntries);
        if (list.size === 0) lists.set(name, list);
        list.add(entry);
      },

      remove(entry) {
        const name = group(entry.row);
        if (name === undefined) return;
        const list = lists.get(name);
        list?.remove(entry);
        if (list?.size === 0) lists.delete(name);
      },
    },

    index: {
      groups: () => lists.keys(),
      size: (name) => lists.get(name)?.size ?? 0,

      *ascending(name, skips) {
        const list = lists.get(name);
        if (list === undefined) return;
        for (const { row } of list.ascending(skips && ((entry) => skips(entry.row)))) yield row;
      },

      *descending(name, reaches) {
        const list = lists.get(name);
        if (list === undefined) return;
        for (const { row } of list.descending(reaches && ((entry) => reaches(entry.row)))) yield row;
      },
    },
  };
}

/** As databases compare the bytes of names. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

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
