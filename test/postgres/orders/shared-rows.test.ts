import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SharedData } from "../../../src/store/store.ts";
import { suiteDatabases } from "../../support/suite-postgres.ts";
import { lockRows } from "./locked-rows.ts";
import { openTwoStores, type TwoStores } from "./two-stores.ts";

const postgres = suiteDatabases();

/** Statements of two servers about one row, which both have begun before either ends. */
describe("what servers tell each other, in forced orders", () => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(await postgres().lendDatabase());
  });
  afterAll(async () => {
    await stores[Symbol.asyncDispose]();
  });

  /** Both wait for the row; the first one gets it first. */
  async function inOrder<First, Second>(
    locked: string,
    first: () => Promise<First>,
    second: () => Promise<Second>,
  ): Promise<[First, Second]> {
    const rows = await lockRows(stores.admin, locked);
    const one = first();
    await rows.waitedForBy(1);
    const other = second();
    await rows.waitedForBy(2);
    await rows.release();
    return Promise.all([one, other]);
  }

  const sharedOf = ({ store: { shared } }: TwoStores["one"]): SharedData => {
    if (shared === undefined) throw new Error("this store shares nothing");
    return shared;
  };
  const one = () => sharedOf(stores.one);
  const other = () => sharedOf(stores.other);
  const rate = (version: number, body: string, until = 100) => ({ version, body, until });

  test("hold: of two servers that ask for a free hold the first gets it", async () => {
    await one().hold("leader", "gone", 0, 100);
    const held = await inOrder(
      "SELECT FROM forebay.duty FOR UPDATE",
      () => one().hold("leader", "a", 100, 200),
      () => other().hold("leader", "b", 150, 250),
    );
    expect(held).toEqual([true, false]);
  });

  test("hold: of two servers that ask for a hold that nobody ever had one gets it", async () => {
    const held = await inOrder(
      "INSERT INTO forebay.duty VALUES ('new', 'neither', 100)",
      () => one().hold("new", "a", 100, 200),
      () => other().hold("new", "b", 100, 200),
    );
    expect(held.filter(Boolean)).toHaveLength(1);
  });

  test("putRate: of two first counts one is kept", async () => {
    const put = await inOrder(
      "INSERT INTO forebay.rate VALUES ('new', 'run', 1, 'neither', 100)",
      () => one().putRate("new", "run", rate(1, "a")),
      () => other().putRate("new", "run", rate(1, "b")),
    );
    expect(put.filter(Boolean)).toHaveLength(1);
    expect(await one().rate("new", "run")).toEqual(rate(1, put[0] ? "a" : "b"));
  });

  test("putRate: of two next counts the first is kept", async () => {
    await one().putRate("counted", "run", rate(1, "before"));
    const put = await inOrder(
      "SELECT FROM forebay.rate FOR UPDATE",
      () => one().putRate("counted", "run", rate(2, "a")),
      () => other().putRate("counted", "run", rate(2, "b")),
    );
    expect(put).toEqual([true, false]);
    expect(await other().rate("counted", "run")).toEqual(rate(2, "a"));
  });

  test("forgetRates: counts that are renewed meanwhile stay", async () => {
    await one().putRate("renewed", "run", rate(1, "before"));
    await inOrder(
      "SELECT FROM forebay.rate WHERE subject = 'renewed' FOR UPDATE",
      () => one().putRate("renewed", "run", rate(2, "after", 1_000)),
      () => other().forgetRates(500),
    );
    expect(await one().rate("renewed", "run")).toEqual(rate(2, "after", 1_000));
  });

  test("forgetServer: a server that says something meanwhile stays", async () => {
    await one().announce("a", "before", 100);
    await inOrder(
      "SELECT FROM forebay.server FOR UPDATE",
      () => one().announce("a", "after", 1_000),
      () => other().forgetServer("a", 500),
    );
    expect(await one().announcements()).toEqual([{ server: "a", word: "after", until: 1_000 }]);
  });

  test("keepKey: the key of the last rotation is kept", async () => {
    await inOrder(
      "SELECT FROM forebay.secret_key FOR UPDATE",
      () => one().keepKey("first"),
      () => other().keepKey("second"),
    );
    expect(await stores.admin.unsafe("SELECT digest FROM forebay.secret_key")).toEqual([
      { digest: "second" },
    ]);
  });
});
