import { describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rejection } from "../support/rejection.ts";
import { sealedWorld } from "../support/sealed-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

describe("T8: the rotation of the key of secrets at rest", () => {
  test("a server with a key file creates a new key, seals all with it, and deletes the old one", async () => {
    await using directory = await temporaryDirectory();
    await using receiver = await WebhookReceiver.start();
    const data = join(directory.path, "data");
    const keys = async () => (await readFile(`${data}.key`, "utf8")).trim().split("\n");
    let server = await TestServer.start({ flags: { data, ...LOOPBACK_ALLOWED } });
    const world = await sealedWorld(server, receiver, 130);
    const before = await keys();

    const answer = await server.post("/v1/secrets/rotate", {});
    expect([answer.status, answer.json]).toEqual([200, { resealed: world.sealed, previousKeyRemoved: true }]);
    const after = await keys();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    expect((await stat(`${data}.key`)).mode & 0o777).toBe(0o600);
    await world.opens(server);

    await server.stop();
    server = await TestServer.start({ flags: { data, ...LOOPBACK_ALLOWED } });
    await world.opens(server);
    await world.isUsed(server);
    await server.stop();
  });

  test("what is submitted meanwhile opens afterwards, and two calls are one rotation", async () => {
    const server = await TestServer.start();
    const endpoint = await server.endpoint();
    const s3Config = { accessSecret: "x".repeat(65_500) };
    const runs = Array.from({ length: 40 }, () => server.run(endpoint, {}, { s3Config }));
    const [first, second] = await Promise.all([
      server.post("/v1/secrets/rotate", {}),
      server.post("/v1/secrets/rotate", {}),
    ]);
    expect(first.status).toBe(200);
    expect(second.json).toEqual(first.json);
    await Promise.all(runs);
    const worker = await server.worker(endpoint);
    for (let n = 0; n < 40; n++) {
      const { json } = await worker.take(1);
      expect(json.s3Config).toEqual(s3Config);
      await worker.done(json.id, { output: null });
    }
    await server.stop();
  });

  test("if the operator sets the keys, the old one is needed until all is sealed again", async () => {
    await using directory = await temporaryDirectory();
    await using receiver = await WebhookReceiver.start();
    const flags = { data: join(directory.path, "data"), ...LOOPBACK_ALLOWED };
    let server = await TestServer.start({ flags: { ...flags, "secret-key": "old" } });
    const world = await sealedWorld(server, receiver, 3);
    const refused = await server.post("/v1/secrets/rotate", {});
    expect([refused.status, refused.json.code]).toEqual([400, "KEY_NOT_REPLACEABLE"]);
    expect(refused.json.error).toContain("FOREBAY_SECRET_KEY_PREVIOUS");
    await server.stop();

    const alone = TestServer.start({ flags: { ...flags, "secret-key": "new" } });
    expect(await rejection(alone)).toContain("cannot decrypt the secrets");
    server = await TestServer.start({
      flags: { ...flags, "secret-key": "new", "secret-key-previous": "old" },
    });
    await world.opens(server);
    const answer = (await server.post("/v1/secrets/rotate", {})).json;
    expect(answer).toEqual({ resealed: world.sealed, previousKeyRemoved: false });
    expect((await server.post("/v1/secrets/rotate", {})).json.resealed).toBe(0);
    await server.stop();

    server = await TestServer.start({ flags: { ...flags, "secret-key": "new" } });
    await world.opens(server);
    await world.isUsed(server);
    await server.stop();
  });

  test("two keys that an operator wrote into the file are a rotation to finish", async () => {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, "data");
    await writeFile(`${data}.key`, "new\nold\n");
    const server = await TestServer.start({ flags: { data } });
    expect((await server.post("/v1/secrets/rotate", {})).json.previousKeyRemoved).toBe(true);
    expect(await readFile(`${data}.key`, "utf8")).toBe("new\n");
    await server.stop();
  });
});
