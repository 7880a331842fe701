import { beforeEach, describe, expect, test } from "bun:test";
import { signIn, signOut } from "../support/browser-session.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { pollOnce } from "../support/still-servers.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestServer } from "../support/test-server.ts";
import { sharedServers } from "./shared-servers.ts";

describe("signing out on one of two servers", () => {
  const servers = sharedServers();
  let a: TestServer;
  let b: TestServer;

  beforeEach(async () => {
    const clock = new ManualClock();
    a = await servers.start({}, clock);
    b = await servers.start(servers.deaf(), clock);
  });

  test("ends the session on the other with its next poll, without a notification", async () => {
    const endpoint = await a.endpoint();
    const session = await signIn(a, TEST_KEY);
    const path = `/v2/${endpoint}/health`;
    expect((await b.get(path, session)).status).toBe(200);
    expect(await signOut(a, session)).toBe(204);
    expect((await a.get(path, session)).json.code).toBe("KEY_UNKNOWN");
    await pollOnce(b);
    expect((await b.get(path, session)).status).toBe(401);
  });

  test("and a session that begins on one is good on the other at once", async () => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const session = await signIn(one, TEST_KEY);
      expect((await other.get("/console/session", session)).status).toBe(200);
      await signOut(other, session);
      expect((await one.get("/console/session", session)).status).toBe(401);
    }
  });

  test("two sign-outs of one key at the same moment, one on each, are both kept", async () => {
    for (let round = 0; round < 10; round++) {
      const [mine, other] = [await signIn(a, TEST_KEY), await signIn(b, TEST_KEY)];
      expect(await Promise.all([signOut(a, mine), signOut(b, other)])).toEqual([204, 204]);
      for (const session of [mine, other]) {
        for (const server of [a, b]) {
          expect((await server.get("/console/session", session)).status).toBe(401);
        }
      }
    }
  });
});
