import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { ListReader } from "../support/list-reader.ts";
import { TestServer } from "../support/test-server.ts";
import { SEED } from "../support/seed.ts";

const ROUNDS = 150;
const LIMIT = 12;
/** Calls at the same time. */
const TOGETHER = 8;

type Kind = readonly [path: string, fields: (text: string) => object];

const KINDS: readonly [Kind, ...Kind[]] = [
  ["/v1/endpoints", () => ({})],
  ["/v1/templates", (text) => ({ imageName: "team/a:1", readme: text })],
  ["/v1/containerregistryauth", () => ({ username: "u", password: "p" })],
];

describe(`records made and deleted at random, and lists of them read slowly (SEED=${SEED})`, () => {
  let server: TestServer;
  beforeAll(async () => {
    const limits = ["account-endpoints", "account-templates", "account-registry-logins"];
    const flags = Object.fromEntries(limits.map((flag) => [flag, String(LIMIT)]));
    server = await TestServer.start({ flags: { ...flags, "body-budget-mb": "1" } });
  });
  afterAll(() => server.stop());

  test("no account is ever over a limit, and creations are refused only at it", async () => {
    const random = seededRandom(SEED);
    const present = new Map<string, Set<string>>(KINDS.map(([path]) => [path, new Set()]));
    for (let round = 0; round < ROUNDS; round++) {
      const [path, fields] = random.pick(KINDS);
      const ids = present.get(path) ?? new Set();
      const text = "r".repeat(random.integer(0, 50_000));
      const isCreating = random.chance(0.6);
      const gone = isCreating ? [] : [...ids].slice(0, TOGETHER);
      const removed = gone.map((id) => server.call("DELETE", `${path}/${id}`));
      const create = () => server.post(path, { name: crypto.randomUUID(), ...fields(text) });
      const made = await Promise.all(Array.from({ length: isCreating ? TOGETHER : 0 }, create));
      for (const { status } of await Promise.all(removed)) expect(status).toBe(204);
      for (const id of gone) ids.delete(id);
      const room = LIMIT - ids.size;
      for (const { status, json } of made) {
        if (status === 200) ids.add(json.id);
        else expect([status, json.code]).toEqual([400, "LIMIT_REACHED"]);
      }
      if (isCreating)
        expect(made.filter(({ status }) => status === 200)).toHaveLength(Math.min(room, TOGETHER));
      expect((await server.get(path)).json).toHaveLength(ids.size);
    }
  }, 60_000);

  test("readers that pause at random get the whole list, also without room for records", async () => {
    const random = seededRandom(`${SEED}/readers`);
    const env = { LARGE: "v".repeat(131_000), LARGER: "é".repeat(100_000) };
    for (const { id } of (await server.get("/v1/templates")).json)
      await server.call("DELETE", `/v1/templates/${id}`);
    for (let number = 0; number < LIMIT; number++) {
      const readme = '"\\é'.repeat(random.integer(0, 50_000));
      const fields = { name: `t${number}`, imageName: "a", readme };
      expect((await server.post("/v1/templates", { ...fields, env })).status).toBe(200);
    }
    const { text } = await server.get("/v1/templates");
    const readers = Array.from(
      { length: 20 },
      () => new ListReader(server.url, "/v1/templates", '"imageName":'),
    );
    for (let round = 0; round < 50; round++) {
      const reader = readers[random.integer(0, readers.length - 1)];
      if (random.chance(0.5)) reader?.pause();
      else reader?.resume();
      expect((await server.get("/healthz")).status).toBe(200);
    }
    for (const reader of readers) reader.resume();
    await Promise.all(readers.map((reader) => reader.end()));
    const digest = new Bun.CryptoHasher("sha1").update(text).digest("hex");
    for (const reader of readers) expect([reader.isWhole, reader.digest()]).toEqual([true, digest]);
  }, 60_000);
});
