import { describe, expect, test } from "bun:test";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { secretBox } from "../../src/engine/secret-box.ts";

const SECRET = Buffer.from("hunter2");

describe("T8: what seals secrets at rest", () => {
  test("the newest key seals, every key of the ring opens, and no other", () => {
    const older = secretBox(["older"]).seal(SECRET, "place");
    const ring = secretBox(["newer", "older"]);
    expect(ring.open(older, "place")).toEqual(SECRET);
    const newer = ring.seal(SECRET, "place");
    expect(secretBox(["newer"]).open(newer, "place")).toEqual(SECRET);
    for (const stranger of [newer, older]) {
      expect(() => secretBox(["another"]).open(stranger, "place")).toThrow();
    }
  });

  test("a sealed value that was moved or changed does not open", () => {
    const box = secretBox(["key", "before"]);
    const sealed = box.seal(SECRET, "job/a");
    expect(() => box.open(sealed, "job/b")).toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => box.open(changed, "job/a")).toThrow();
    }
    expect(() => box.open(sealed.subarray(0, 20), "job/a")).toThrow();
  });

  test("what was sealed before keys had ids still opens, wherever its key is in the ring", () => {
    const before = sealedBefore("first");
    for (const keys of [["first"], ["second", "first"], ["first", "second"]]) {
      expect(secretBox(keys).open(before, "place")).toEqual(SECRET);
    }
    const resealed = secretBox(["first"]).reseal(before, "place");
    expect(resealed && secretBox(["first"]).open(resealed, "place")).toEqual(SECRET);
  });

  test("what was sealed before opens also where its nonce begins like the id of a key", () => {
    const id = secretBox(["newer"]).seal(SECRET, "place").subarray(0, 4);
    const nonce = Buffer.concat([id, randomBytes(8)]);
    const ring = secretBox(["newer", "older"]);
    const before = sealedBefore("older", nonce);
    expect(ring.open(before, "place")).toEqual(SECRET);
    expect(ring.reseal(before, "place")).toBeDefined();
  });

  test("only what an older key sealed is sealed again", () => {
    const older = secretBox(["older"]).seal(SECRET, "place");
    const ring = secretBox(["newer", "older"]);
    const resealed = ring.reseal(older, "place");
    if (resealed === undefined) throw new Error("it is not sealed anew");
    expect(secretBox(["newer"]).open(resealed, "place")).toEqual(SECRET);
    expect(ring.reseal(resealed, "place")).toBeUndefined();
    expect(() => ring.reseal(older, "elsewhere")).toThrow();
  });

  test("waiting until sealed values are stored waits for all writes that began before", async () => {
    const box = secretBox(["key"]);
    const [slow, order] = [Promise.withResolvers<void>(), Array<string>()];
    const work = box.storing(async () => {
      await slow.promise;
      order.push("stored");
    });
    const failed = box
      .storing(() => Promise.reject(new Error("disk full")))
      .catch(() => order.push("failed"));
    const waited = box.stored().then(() => order.push("waited"));
    await failed;
    slow.resolve();
    await Promise.all([work, waited]);
    expect(order).toEqual(["failed", "stored", "waited"]);
  });
});

/** As secrets were sealed before keys had ids: nonce, tag, ciphertext. */
function sealedBefore(key: string, nonce = randomBytes(12)): Uint8Array {
  const bytes = createHash("sha256").update(key).digest();
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(Buffer.from("place"));
  const ciphertext = Buffer.concat([cipher.update(SECRET), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}
