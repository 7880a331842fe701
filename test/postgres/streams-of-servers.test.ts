import { beforeEach, describe, expect, test } from "bun:test";
import { EventReader } from "../support/event-reader.ts";
import { resumedStream } from "../support/resumed-stream.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { SEED } from "../support/seed.ts";
import { knows, sharedServers } from "./shared-servers.ts";

const CUTS = 1_000;

describe("streams of two servers on one database", () => {
  const servers = sharedServers();
  let a: TestServer;
  let b: TestServer;
  let endpoint: string;
  let worker: TestWorker;

  /** The worker calls `a` alone. */
  async function start(flags: Record<string, string> = {}): Promise<void> {
    a = await servers.start(flags);
    b = await servers.start(flags);
    endpoint = await a.endpoint();
    worker = await a.worker(endpoint);
    await knows(b, endpoint);
  }

  const address = ({ url }: TestServer, job: string): string => `${url}/v2/${endpoint}/stream/${job}`;

  test(`a reader cut off ${CUTS} times, back at either server, gets each chunk once (${SEED})`, async () => {
    await start();
    const job = await a.run(endpoint);
    await worker.take();
    const addresses: [string, string] = [address(a, job), address(b, job)];
    const stream = await resumedStream({ seed: SEED, worker, job, addresses, cuts: CUTS });
    expect(stream.read).toEqual(stream.put);
    // Neither would show much.
    expect(stream.put.length).toBeGreaterThan(CUTS / 2);
    expect(stream.halves).toBeGreaterThan(CUTS / 2);
  });

  describe("with every notification lost", () => {
    beforeEach(() => start(servers.deaf()));

    /** Each piece comes to the reader, who is at the other server, before the next one is put out. */
    async function comes(reader: EventReader, job: string, outputs: readonly unknown[]): Promise<string[]> {
      const seen: string[] = [];
      for (const output of outputs) {
        await worker.stream(job, { output });
        seen.push((await reader.next())?.data ?? "");
      }
      return seen;
    }

    test("a live stream has every chunk before the next one is put out, and the end", async () => {
      const job = await a.run(endpoint);
      await worker.take();
      const reader = await EventReader.open(address(b, job));
      expect(await comes(reader, job, ["one", "two", "three"])).toEqual([
        '{"output":"one"}',
        '{"output":"two"}',
        '{"output":"three"}',
      ]);
      const atOnce = Array.from({ length: 50 }, (_, n) => `{"output":${n}}`);
      for (const chunk of atOnce) await worker.stream(job, chunk);
      await worker.done(job, { output: [] });
      const rest = await reader.take();
      expect(rest.slice(0, -1).map(({ data }) => data)).toEqual(atOnce);
      expect(rest.at(-1)?.event).toBe("end");
    });

    test("the OpenAI route streams every event, and answers what is not streamed", async () => {
      const asked = (body: string): Promise<Response> =>
        fetch(`${b.url}/v2/${endpoint}/openai/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: TEST_KEY, "content-type": "application/json" },
          body,
        });
      const streaming = asked('{"stream":true}');
      const { id } = (await worker.take()).json;
      await worker.stream(id, { output: { n: 0 } });
      const reader = EventReader.of(await streaming);
      expect((await reader.next())?.data).toBe('{"n":0}');
      expect(await comes(reader, id, [{ n: 1 }, 'data: {"n":2}\n\n'])).toEqual(['{"n":1}', '{"n":2}']);
      await worker.done(id, { output: [] });
      expect(await reader.take()).toMatchObject([{ data: "[DONE]" }]);

      const whole = asked("{}");
      await worker.done((await worker.take()).json.id, { output: [{ id: "c" }] });
      expect(await (await whole).json()).toEqual({ id: "c" });
    });
  });
});
