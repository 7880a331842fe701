import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EventReader } from "../support/event-reader.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

/** Prints three lines, and ends when the file exists. */
const PRINTER = 'echo one; echo two; echo three; while [ ! -e "$0" ]; do sleep 0.05; done';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: TestServer;
let path: string;
/** The file that ends the worker. */
let end: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  end = join(directory.path, "end");
  const commands = join(directory.path, "commands.json");
  await writeFile(commands, JSON.stringify({ printer: ["sh", "-c", PRINTER, end] }));
  server = await TestServer.start({ flags: { commands } });
  const { json } = await server.post("/v1/templates", { name: "printer", imageName: "process/printer" });
  const endpoint = await server.endpoint({ templateId: json.id, workersMin: 1, workersMax: 1 });
  const worker = await until("there is a worker", async () => {
    const [first] = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers;
    return first?.id;
  });
  await until("it has printed", async () => (await server.logOf(endpoint, worker)).length >= 3);
  path = `/v2/serverless/${endpoint}/workers/${worker}/logs`;
});
afterEach(async () => {
  await server.stop();
  await directory[Symbol.asyncDispose]();
});

const open = (query: string, id?: string): Promise<EventReader> =>
  EventReader.open(`${server.url}${path}${query}`, id === undefined ? {} : { "last-event-id": id });

const linesOf = (events: readonly { data: string }[]): string[] =>
  events.map(({ data }) => JSON.parse(data).line);

test("a reader goes on behind its last line, also among lines of the same millisecond", async () => {
  const first = await open("?source=container&tail=2");
  const seen = await first.take(2);
  first.leave();
  expect(linesOf(seen)).toEqual(["two", "three"]);
  const second = await open("?source=container", seen[0]?.id);
  expect(await second.take(1)).toEqual(seen.slice(1));
  second.leave();
});

test("behind the last line of an ended worker the answer is 204, so readers stop", async () => {
  const reader = await open("?source=container");
  expect(linesOf(await reader.take(3))).toEqual(["one", "two", "three"]);
  const { lastId } = reader;
  await writeFile(end, "");
  await reader.take();
  expect(reader.lastId).toBe("end");
  expect((await open("?source=container", "end")).response.status).toBe(204);
  const late = await open("?source=container", lastId);
  expect([await late.take(), late.lastId]).toEqual([[], "end"]);
});

test("an id of no event begins with the next whole line", async () => {
  const reader = await open("?source=container", "7");
  expect(linesOf(await reader.take(2))).toEqual(["two", "three"]);
  reader.leave();
  expect((await open("", "2026-01-31T12:00:00Z")).response.status).toBe(400);
});
