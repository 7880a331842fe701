import { afterEach, beforeEach, expect, test } from "bun:test";
import { showEnd } from "../../src/cli/dev/finished-job.ts";
import type { Terminal } from "../../src/cli/dev/terminal.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

/** What is shown of a job that the server at this address does not know. */
async function shownOf(url: string): Promise<string[]> {
  const lines: string[] = [];
  const terminal: Terminal = { columns: 80, line: (text) => lines.push(text), paint: (_, text) => text };
  const { clock } = server.forebay.engine;
  await showEnd({ url, key: TEST_KEY, clock }, await server.endpoint(), "a-job", terminal);
  return lines;
}

test("a job whose record was deleted before it could be shown is reported, and ends nothing", async () => {
  expect(await shownOf(server.url)).toEqual([expect.stringMatching(/^job a-job ended: \S/)]);
});

test("so is one whose server has gone", async () => {
  const gone = await TestServer.start();
  await gone.stop();
  const said = `job a-job ended: no server answers at ${gone.url}`;
  expect(await shownOf(gone.url)).toEqual([expect.stringContaining(said)]);
});
