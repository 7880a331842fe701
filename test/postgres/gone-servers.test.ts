import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { forgetGoneServers } from "../../src/engine/gone-servers.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { seen } from "../../src/engine/seen.ts";
import type { SharedData } from "../../src/store/store.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const WORD = JSON.stringify({ isSharing: true, fleet: {} });

describe("a server that is gone for good", () => {
  const postgres = suitePostgres();
  let database: LentDatabase;
  let server: TestServer;
  let endpoint: string;
  let shared: SharedData;
  beforeEach(async () => {
    database = await postgres().lendDatabase();
    server = await TestServer.start({ flags: { "database-url": database.url } });
    endpoint = await server.endpoint();
    const found = server.forebay.engine.store.shared;
    if (found === undefined) throw new Error("nothing is shared");
    shared = found;
  });
  afterEach(async () => {
    await server.stop();
    await database.giveBack();
  });

  test("takes the tokens of its workers along an hour later, and not before", async () => {
    const id = await startedBy("gone");
    const missed = new Map<string, number>();
    await shared.announce("gone", WORD, now() - HOUR + 60_000);
    await forget(missed);
    expect(token(id)).toBeDefined();
    await shared.announce("gone", WORD, now() - HOUR - 1);
    await forget(missed);
    expect(token(id)).toBeUndefined();
    expect((await shared.announcements()).map((word) => word.server)).not.toContain("gone");
  });

  test("one that never said anything is given an hour from when it is missed", async () => {
    const id = await startedBy("unheard");
    const missed = new Map<string, number>();
    await forget(missed);
    expect(token(id)).toBeDefined();
    missed.set("unheard", (missed.get("unheard") ?? Number.NaN) - HOUR);
    await forget(missed);
    expect(token(id)).toBeUndefined();
  });

  test("its workers that still call are left alone, with what they run", async () => {
    const id = await startedBy("gone");
    await shared.announce("gone", WORD, now() - HOUR - 1);
    const { engine } = server.forebay;
    const worker = { endpoint, id, sharesToken: false };
    const shown = { kind: "nothing" } as const;
    await seen(engine, worker, { shown, crossing: 0, denials: 1, call: "ping" });
    await forget(new Map());
    expect(token(id)).toBeDefined();
    expect((await shared.announcements()).map((word) => word.server)).toContain("gone");
  });

  test("this server, and one that lives, keep theirs", async () => {
    const [own, other] = [await startedBy(server.forebay.engine.server), await startedBy("lives")];
    await shared.announce("lives", WORD, now() + 1_000);
    await forget(new Map());
    expect([token(own), token(other)]).not.toContain(undefined);
    await until("it is announced", async () => (await shared.announcements()).length === 2);
  });

  async function startedBy(name: string): Promise<string> {
    const { engine } = server.forebay;
    const found = engine.configuration.get("endpoint", endpoint);
    if (found === undefined) throw new Error("the endpoint is gone");
    const { record } = await createWorkerToken({ ...engine, server: name }, found, {
      many: false,
      managed: true,
    });
    return record.id;
  }

  async function forget(missed: Map<string, number>): Promise<void> {
    await forgetGoneServers(server.forebay.engine, shared, missed);
  }

  function token(id: string) {
    return server.forebay.engine.configuration.get("worker", id);
  }

  function now(): number {
    return server.forebay.engine.clock.now();
  }
});
