import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { MIGRATIONS } from "../../../src/store/postgres/postgres-schema.ts";
import { rejection } from "../../support/rejection.ts";
import { storeOptions } from "../../support/postgres-store-options.ts";
import { suiteDatabases } from "../../support/suite-postgres.ts";
import { forceOrder } from "./force-order.ts";
import { holdPostgres } from "./held-wire.ts";

const postgres = suiteDatabases();

test("of two servers that start on a new database one creates the tables, and the other waits", async () => {
  const database = await postgres().lendDatabase();
  {
    await using wire = await holdPostgres(database.url);
    await using admin = new SQL(database.url, { max: 1 });
    const { first, second, hasWaited } = await forceOrder(
      admin,
      { wire },
      (statement) => statement === "DELETE FROM forebay.schema",
      () => openPostgresStore(storeOptions(wire.url)),
      () => openPostgresStore(storeOptions(database.url)),
    );
    expect(hasWaited).toBe(true);
    const [schema] = await admin.unsafe("SELECT migrations FROM forebay.schema");
    expect(schema).toEqual({ migrations: MIGRATIONS.length });
    await first.close();
    await second.close();
  }
  await database.giveBack();
});

test("of two servers with different keys that start together the second one refuses", async () => {
  const database = await postgres().lendDatabase();
  const options = storeOptions(database.url);
  await (await openPostgresStore(options)).close();
  {
    await using wire = await holdPostgres(database.url);
    await using admin = new SQL(database.url, { max: 1 });
    await admin.unsafe("DELETE FROM forebay.sealing_key; DELETE FROM forebay.secret_key");
    const { first, second, hasWaited } = await forceOrder(
      admin,
      { wire },
      (statement) => statement.startsWith("INSERT INTO forebay.secret_key"),
      () => openPostgresStore({ ...options, url: wire.url }),
      () => rejection(openPostgresStore({ ...options, keyDigests: ["digest of another key"] })),
    );
    expect(hasWaited).toBe(true);
    expect(second).toContain("encrypted with another key");
    await first.close();
  }
  await database.giveBack();
});
