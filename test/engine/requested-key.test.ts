import { expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { digestOf } from "../../src/engine/digest.ts";
import {
  createRequestedKey,
  KEY_REQUEST_FILE,
  keyRequestIn,
  newKeyRequest,
} from "../../src/engine/records/requested-key.ts";
import { TestEngine } from "../support/test-engine.ts";

test("a request has only the digest of the key, and is read as it was written", () => {
  const { request, text } = newKeyRequest();
  expect(request).toEqual({ id: expect.stringMatching(/^[a-z0-9]{14}$/), digest: digestOf(text) });
  expect(text).toContain(request.id);
  expect(keyRequestIn(JSON.stringify(request))).toEqual(request);
  // Servers and commands of different versions agree on it.
  expect(KEY_REQUEST_FILE).toBe("admin-key-request.json");
});

const ID = "a".repeat(14);
const DIGEST = "0".repeat(64);
test.each([
  "",
  "{",
  "null",
  "{}",
  JSON.stringify({ id: ID }),
  JSON.stringify({ digest: DIGEST }),
  JSON.stringify({ id: `${ID}a`, digest: DIGEST }),
  JSON.stringify({ id: "A".repeat(14), digest: DIGEST }),
  JSON.stringify({ id: ID, digest: `${DIGEST}0` }),
  JSON.stringify({ id: ID, digest: "g".repeat(64) }),
  JSON.stringify({ id: ID, digest: DIGEST, scopes: [] }),
])("%j is no request", (text) => {
  expect(keyRequestIn(text)).toBeUndefined();
});

test("the requested key is an admin key; a second request of it changes nothing", async () => {
  const t = await TestEngine.start();
  const { request } = newKeyRequest();
  const createdAt = t.clock.now();
  await createRequestedKey(t.engine, request);
  await t.clock.advance(1_000);
  await createRequestedKey(t.engine, { ...request, digest: DIGEST });
  expect(t.engine.configuration.get("key", request.id)).toEqual({
    id: request.id,
    account: DEFAULT_ACCOUNT.id,
    name: `admin-${request.id}`,
    scopes: ["admin"],
    digest: request.digest,
    createdAt,
  });
  await t.stop();
});
