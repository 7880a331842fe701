import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { BodyRule } from "../fuzz/body-rule.ts";
import type { Operation } from "../fuzz/operation.ts";
import { ALL_OPERATIONS } from "../fuzz/operations.ts";
import { answerOf } from "../support/answer.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { grammarFaults } from "./grammar.ts";

/** What a library says of a value, and what no client should have to read: names of types and patterns. */
const FOREIGN =
  /Invalid (input|option|key)|expected \w+, received|Too (small|big)|Unrecognized|\\[dsw]|\(\?|\][+*{]/;

/** Values of every type of JSON. Most members refuse most of them. */
const VALUES = [
  "null",
  "true",
  "0",
  "-1",
  "1.5",
  "1e300",
  '""',
  '"no such value"',
  '"a\\u0000b"',
  "[]",
  "[null]",
  "[[]]",
  '["",""]',
  "{}",
  '{"a":null}',
  '{"a b":"c"}',
  '{"a":{"b":[]}}',
];
const NESTED = ['{"requests":{"requests":"x"},"run":{"requests":-1},"A":5}', '[5,"x",{"uuid":5,"name":[]}]'];
const BODIES = ["[]", "null", "5", '"text"', '{"noSuchMember":1}', "{", ""];
const PARAMETERS = ["", "x", "-1", "1.5", "1e9", "null", "[]", "é"];

/** Longer than a refusal takes, ms. */
const HELD = 1_000;

const CALLED = ALL_OPERATIONS.filter(
  ({ body, query }) => body !== undefined || Object.keys(query).length > 0,
);

describe("no text of a library reaches a client", () => {
  let server: TestServer;
  let ids: Record<string, string>;
  let token: string;
  beforeEach(async () => {
    server = await TestServer.start({ flags: { "ping-interval-ms": "100", "take-wait-ms": "50" } });
    const endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const worker = await server.worker(endpoint);
    token = `Bearer ${worker.env["RUNPOD_AI_API_KEY"]}`;
    const template = await server.post("/v1/templates", { name: "first", imageName: "worker" });
    const key = await server.post("/v1/keys", { name: "first", scopes: ["read"] });
    const job = await server.run(endpoint);
    ids = {
      endpoint,
      worker: worker.id,
      template: template.json.id,
      key: key.json.id,
      job,
      version: "1",
      host: "gpu-1",
    };
  });
  afterEach(() => server.stop());

  test.each(CALLED.map((operation) => [operation.name, operation] as const))("%s", async (_, operation) => {
    const { methods, access, query, body } = operation;
    const [route] = operation.routes;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (__, name: string) => ids[name] ?? (route || name));
    const authorization = access === "worker" ? token : `Bearer ${TEST_KEY}`;
    const sentences = new Set<string>();
    const send = async (at: string, text?: string): Promise<void> => {
      const headers = {
        authorization,
        ...(text === undefined ? {} : { "content-type": "application/json" }),
      };
      const init = { method: methods[0], headers, ...(text === undefined ? {} : { body: text }) };
      const sentence = await refusal(`${server.url}${at}`, init);
      if (sentence !== undefined) sentences.add(sentence);
    };

    for (const text of body === undefined ? [] : wrongBodies(operation, body)) await send(path, text);
    for (const [name, { wrong }] of Object.entries(query)) {
      for (const value of [...wrong, ...(operation.isHeld ? [] : PARAMETERS)])
        await send(`${path}?${name}=${encodeURIComponent(value)}`);
    }

    // A worker could not send better ones: what it sends is taken.
    if (access !== "worker") expect(sentences.size).toBeGreaterThan(0);
    for (const sentence of sentences) {
      expect(sentence).not.toMatch(FOREIGN);
      expect([sentence, grammarFaults(sentence)]).toEqual([sentence, []]);
      expect(sentence).toEndWith(".");
    }
  });
});

/** The sentence that refuses a call; undefined if it was accepted, or is still held after a while. */
async function refusal(url: string, init: RequestInit): Promise<string | undefined> {
  const end = AbortSignal.timeout(HELD);
  try {
    const answer = await fetch(url, { ...init, signal: end });
    const { json } = await answerOf(answer);
    if (answer.status < 400) return undefined;
    return typeof json.error === "string" ? json.error : json.error.message;
  } catch (error) {
    if (end.aborted) return undefined;
    throw error;
  }
}

/** Bodies with one wrong member each; the others are left out. */
function wrongBodies({ isHeld }: Operation, { members }: BodyRule): string[] {
  const names = Object.entries(members);
  // What is not wrong is held.
  const others = isHeld ? [] : VALUES;
  const one = names.flatMap(([name, { wrong }]) =>
    [...wrong, ...others].map((value) => `{${JSON.stringify(name)}:${value}}`),
  );
  const nested = names.flatMap(([name]) => NESTED.map((value) => `{${JSON.stringify(name)}:${value}}`));
  return [...BODIES, ...one, ...(isHeld ? [] : nested)];
}
