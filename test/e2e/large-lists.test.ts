import { afterAll, beforeAll, expect, test } from "bun:test";
import { ListReader } from "../support/list-reader.ts";
import { forgetPeak, largestWith, memoryOf, peakOf } from "../support/memory-of.ts";
import { ServerProcess } from "../support/server-process.ts";

/** How much memory the answers may take beyond what the idle server has, MB. */
const ALLOWED = 200;

/** Calls that others make one after the other meanwhile: with the list sent in one piece it would be one. */
const LEAST_ANSWERS = 50;

const TEMPLATES = 400;
const ENDPOINTS = 1_800;

/** 0.9 MB as JSON. */
const env = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`V${index}`, "v".repeat(100_000)]));

let server: ServerProcess;
let pid: number;
let template: string;

beforeAll(async () => {
  const mark = `LARGE_LISTS=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  server = await ServerProcess.start({ env: { [name]: value } });
  for (let number = 0; number < TEMPLATES; number++) {
    const { json, status } = await server.post("/v1/templates", {
      name: `t${number}`,
      imageName: "team/a:1",
      env,
    });
    expect(status).toBe(200);
    template = json.id;
    const made = Math.round((number * ENDPOINTS) / TEMPLATES);
    const next = Math.round(((number + 1) * ENDPOINTS) / TEMPLATES);
    const fields = { templateId: template };
    await Promise.all(Array.from({ length: next - made }, () => server.endpoint(fields)));
  }
  await server.terminate();
  await server.startAgain();
  pid = largestWith(mark);
}, 900_000);
afterAll(() => server.stop());

test("1,800 endpoints with templates of 0.9 MB take little memory and stall nobody", async () => {
  forgetPeak(pid);
  const idle = memoryOf(pid);
  const reader = new ListReader(server.url, "/v1/endpoints?includeTemplate=true", '"userId":');
  const answers = await answersWhile(reader.end());
  expect([reader.isWhole, reader.marks]).toEqual([true, ENDPOINTS]);
  expect(reader.bytes).toBeGreaterThan(ENDPOINTS * 900_000);
  expect(peakOf(pid) - idle).toBeLessThan(ALLOWED);
  expect(answers).toBeGreaterThan(LEAST_ANSWERS);
}, 120_000);

/** How many calls, one after the other, were answered until `over`. */
async function answersWhile(over: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  void over.then(() => (state.isOver = true));
  let answers = 0;
  for (; !state.isOver; answers++) expect((await server.get("/healthz")).status).toBe(200);
  return answers;
}

test("30 readers of 400 templates, ten of which pause meanwhile, take little memory", async () => {
  forgetPeak(pid);
  const idle = memoryOf(pid);
  const readers = Array.from(
    { length: 30 },
    () => new ListReader(server.url, "/v1/templates", '"dockerStartCmd":'),
  );
  const still = readers.slice(0, 10);
  for (const reader of still) reader.pause();
  await Promise.all(readers.slice(10).map((reader) => reader.end()));
  for (const reader of still) reader.resume();
  await Promise.all(still.map((reader) => reader.end()));
  for (const reader of readers) expect([reader.isWhole, reader.marks]).toEqual([true, TEMPLATES]);
  expect(new Set(readers.map((reader) => reader.digest())).size).toBe(1);
  expect(peakOf(pid) - idle).toBeLessThan(ALLOWED);
}, 240_000);
