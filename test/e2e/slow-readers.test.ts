import { afterAll, beforeAll, expect, test } from "bun:test";
import { ListReader } from "../support/list-reader.ts";
import { forgetPeak, largestWith, memoryOf, peakOf } from "../support/memory-of.ts";
import { ServerProcess } from "../support/server-process.ts";

const READERS = 200;

/** A quarter of --body-budget-mb, and what the server may take beside it, MB. */
const BUDGET = 128;
const ALLOWED = 200;

let server: ServerProcess;
let pid: number;

beforeAll(async () => {
  const mark = `SLOW_READERS=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  server = await ServerProcess.start({ env: { [name]: value } });
  pid = largestWith(mark);
}, 60_000);
afterAll(() => server.stop());

test("200 readers of 20 MB that read nothing take bounded memory, and give it back", async () => {
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const job = await server.run(endpoint);
  await worker.take();
  expect((await worker.done(job, { output: "x".repeat(20_000_000) })).status).toBe(200);
  const path = `/v2/${endpoint}/status/${job}`;
  expect((await server.get(path)).status).toBe(200);
  const idle = memoryOf(pid);
  forgetPeak(pid);
  const readers = Array.from({ length: READERS }, () => new ListReader(server.url, path, "nothing"));
  await Promise.all(readers.map((reader) => reader.stall()));
  expect(peakOf(pid) - idle).toBeLessThan(BUDGET + ALLOWED);
  expect((await server.get("/healthz")).status).toBe(200);
  const refused = await server.get(path);
  expect([refused.status, refused.json.code]).toEqual([503, "OVERLOADED"]);
  for (const reader of readers) reader.close();
  for (let round = 0; round < 3; round++) expect((await server.get(path)).status).toBe(200);
}, 120_000);
