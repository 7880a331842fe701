import { describe, expect, test } from "bun:test";
import { ENDED_LIMIT } from "../../src/engine/records/ended-sessions.ts";
import { SESSION_TIME } from "../../src/http/console/console-session.ts";
import { type SessionHeaders, signIn, signOut } from "../support/browser-session.ts";
import { EventReader } from "../support/event-reader.ts";
import { freshServer } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("signing out of the console", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

  /** What each kind of call answers to the session. */
  async function outcomes(session: SessionHeaders): Promise<unknown[]> {
    const answers = [
      await server.get("/console/session", session),
      await server.get("/v1/endpoints", session),
      await server.get(`/v2/${endpoint}/health`, session),
      await server.post(`/v2/${endpoint}/run`, { input: {} }, session),
    ];
    return answers.map(({ status, json }) => json.code ?? status);
  }

  const OPEN = [200, 200, 200, 200];
  const OVER = OPEN.map(() => "KEY_UNKNOWN");

  test("a copy of the cookie opens nothing any more; other sessions of the key go on", async () => {
    const { key } = (await server.post("/v1/keys", { name: "mine", scopes: ["manage"] })).json;
    for (const text of [TEST_KEY, key]) {
      const [mine, other] = [await signIn(server, text), await signIn(server, text)];
      expect(await outcomes(mine)).toEqual(OPEN);
      expect(await signOut(server, mine)).toBe(204);
      expect(await outcomes(mine)).toEqual(OVER);
      expect(await outcomes(other)).toEqual(OPEN);
      // The cookie of a session that is over, or none at all, is forgotten all the same.
      expect(await signOut(server, mine)).toBe(204);
      expect(await signOut(server, { ...mine, cookie: "" })).toBe(204);
    }
  });

  test("what a page follows ends with its session: signed out, or after twelve hours", async () => {
    const [mine, other] = [await signIn(server, TEST_KEY), await signIn(server, TEST_KEY)];
    const readers: EventReader[] = [];
    for (const session of [mine, other]) {
      readers.push(await EventReader.open(`${server.url}/v1/endpoints/${endpoint}/statistics`, session));
    }
    const { readings } = server.forebay.engine;
    const [mineRead, otherRead] = readers;
    await until("both follow", async () => {
      await clock.advance(1_000);
      return readings.size > 0;
    });
    let isOtherOver = false;
    const rest = otherRead?.take().then(() => (isOtherOver = true));
    await signOut(server, mine);
    await mineRead?.take();
    expect(isOtherOver).toBe(false);
    await clock.standStill(SESSION_TIME);
    await rest;
    expect(await outcomes(other)).toEqual(OVER);
  });

  test("sessions that end at the same moment all end", async () => {
    const sessions: SessionHeaders[] = [];
    for (let n = 0; n < 20; n++) sessions.push(await signIn(server, TEST_KEY));
    const statuses = await Promise.all(sessions.map((session) => signOut(server, session)));
    expect(new Set(statuses)).toEqual(new Set([204]));
    for (const session of sessions) expect(await outcomes(session)).toEqual(OVER);
  });

  test("the server keeps at most a hundred ended sessions of a key", async () => {
    expect(ENDED_LIMIT).toBe(100);
    const ended = () => server.forebay.engine.configuration.get("endedSessions", "admin")?.sessions.length;
    const [old, first] = [await signIn(server, TEST_KEY), await signIn(server, TEST_KEY)];
    await signOut(server, first);
    for (let n = 1; n < ENDED_LIMIT; n++) await signOut(server, await signIn(server, TEST_KEY));
    expect(ended()).toBe(ENDED_LIMIT);
    expect(await outcomes(old)).toEqual(OPEN);
    await signOut(server, await signIn(server, TEST_KEY));
    expect(ended()).toBe(0);
    expect(await outcomes(first)).toEqual(OVER);
    expect(await outcomes(old)).toEqual(OVER);
    await clock.advance(1);
    const next = await signIn(server, TEST_KEY);
    expect(await outcomes(next)).toEqual(OPEN);
    await signOut(server, next);
    // What is over by its time is not kept.
    await clock.standStill(SESSION_TIME);
    await signOut(server, await signIn(server, TEST_KEY));
    expect(ended()).toBe(1);
  });

  test("a revoked key leaves nothing of its sessions behind", async () => {
    const { id, key } = (await server.post("/v1/keys", { name: "mine", scopes: ["read"] })).json;
    const [mine, other] = [await signIn(server, key), await signIn(server, key)];
    await signOut(server, mine);
    const { configuration } = server.forebay.engine;
    expect(configuration.get("endedSessions", id)?.sessions).toHaveLength(1);
    await server.call("DELETE", `/v1/keys/${id}`);
    expect(await outcomes(other)).toEqual(OVER);
    expect(configuration.get("endedSessions", id)).toBeUndefined();
  });

  test("a rotated key opens its sessions as long as it opens calls", async () => {
    const { id, key } = (await server.post("/v1/keys", { name: "mine", scopes: ["manage"] })).json;
    const session = await signIn(server, key);
    await server.post(`/v1/keys/${id}/rotate`, { overlapMs: 60_000 });
    expect(await outcomes(session)).toEqual(OPEN);
    await clock.advance(60_000);
    expect(await outcomes(session)).toEqual(OVER);
  });
});

test("a session that was signed out stays so over a restart of the server", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: directory.path };
  let server = await TestServer.start({ flags });
  const [mine, other] = [await signIn(server, TEST_KEY), await signIn(server, TEST_KEY)];
  await signOut(server, mine);
  await server.stop();
  server = await TestServer.start({ flags });
  expect((await server.get("/console/session", mine)).json.code).toBe("KEY_UNKNOWN");
  expect((await server.get("/console/session", other)).status).toBe(200);
  await server.stop();
});
