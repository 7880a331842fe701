import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { forgetPeak, largestWith, memoryOf, peakOf } from "../support/memory-of.ts";
import { RawConnection } from "../support/raw-connection.ts";
import { succeeded } from "../support/run-program.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";

const MB = 1_048_576;
const TIMES = 8;
const MARK = crypto.randomUUID();
const PROGRAMS = join(import.meta.dir, "large-bodies");

const CLIENTS: readonly (readonly [string, readonly [string, ...string[]]])[] = [
  ["fetch of Node", ["node", "send.mjs", "fetch"]],
  ["axios", ["node", "send.mjs", "axios"]],
  ["http.client of Python", ["python3", "send.py"]],
];

describe("a body above the limit", () => {
  let server: ServerProcess;
  let path: string;
  beforeAll(async () => {
    server = await ServerProcess.start({ env: { LARGE_BODIES_TEST: MARK } });
    path = `/v2/${await server.endpoint()}/run`;
  });
  afterAll(() => server.stop());

  for (const [name, words] of CLIENTS) {
    test.skipIf(Bun.which(words[0]) === null).each([11 * MB, 40 * MB])(
      `gets ${name} the 413, each time, and not a broken connection: %d bytes`,
      async (bytes) => {
        const sent = [...words, `${server.url}${path}`, TEST_KEY, String(bytes), String(TIMES)];
        const { stdout } = await succeeded(sent, { cwd: PROGRAMS });
        expect(JSON.parse(stdout)).toEqual(Array.from({ length: TIMES }, () => 413));
      },
      60_000,
    );
  }

  test("is dropped as it comes: it takes no memory", async () => {
    const sent = ["node", "send.mjs", "fetch", `${server.url}${path}`, TEST_KEY, String(60 * MB), "2"];
    const pid = largestWith(`LARGE_BODIES_TEST=${MARK}`);
    const before = memoryOf(pid);
    forgetPeak(pid);
    await Promise.all(Array.from({ length: 6 }, () => succeeded(sent, { cwd: PROGRAMS })));
    expect(peakOf(pid) - before).toBeLessThan(200);
  }, 60_000);

  test("is not waited for if its sender has stopped, or waits for a word", async () => {
    for (const lines of [
      ["content-length: 60000000"],
      ["content-length: 60000000", "expect: 100-continue"],
    ]) {
      const connection = new RawConnection(server.url);
      connection.write(connection.head(`POST ${path}`, ...lines));
      expect(await connection.answers(1, 15_000)).toContain(413);
      await connection.closed();
    }
  }, 40_000);
});
