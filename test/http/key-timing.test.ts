import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { Auth } from "../../src/http/auth.ts";
import { TestServer } from "../support/test-server.ts";

const ROUNDS = 400;
const CALLS = 25;

test("T10: how long a wrong key takes does not tell how much of it is right", async () => {
  const server = await TestServer.start();
  const text = (await server.key("read")).authorization.replace("Bearer ", "");
  const auth = new Auth(server.forebay.engine, "", () => "");
  const [atTheStart, atTheEnd] = [20, text.length - 9].map((at) => {
    const wrong = withChecksum(text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1, -8));
    return new Request("http://a/", { headers: { authorization: wrong } });
  });
  if (atTheStart === undefined || atTheEnd === undefined) throw new Error("there are two keys");

  const taken = (request: Request): number => {
    const begun = process.hrtime.bigint();
    for (let call = 0; call < CALLS; call++)
      expect(() => auth.access({ request, hasKey: false })).toThrow("is unknown");
    return Number(process.hrtime.bigint() - begun);
  };
  const [early, late]: number[][] = [[], []];
  // Each beside the other, so that what else the machine does meets both.
  for (let round = 0; round < ROUNDS; round++) {
    early?.push(taken(atTheStart));
    late?.push(taken(atTheEnd));
  }
  const ratio = median(late ?? []) / median(early ?? []);
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.25);
  await server.stop();
});

/** So that the key is compared, and not refused for its form. */
function withChecksum(text: string): string {
  return text + crc32(text).toString(16).padStart(8, "0");
}

function median(figures: number[]): number {
  const middle = figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}
