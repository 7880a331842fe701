import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EventReader } from "../support/event-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { NO_FIGURES } from "../support/no-figures.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("live statistics", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  const readers: EventReader[] = [];
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock, flags: { "stream-silence-ms": "3000" } });
    endpoint = await server.endpoint();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.leave();
    await server.stop();
  });

  const path = (query = ""): string => `/v1/endpoints/${endpoint}/statistics${query}`;

  async function open(url = path(), headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = await EventReader.open(`${server.url}${url}`, headers);
    readers.push(reader);
    return reader;
  }

  /** The next event, which comes within a second of the server's time. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  async function nextOf(reader: EventReader): Promise<any> {
    let event: Awaited<ReturnType<EventReader["next"]>> | undefined;
    let isThere = false;
    const coming = (async (): Promise<void> => {
      event = await reader.next();
      isThere = true;
    })();
    await until("an event comes", async () => {
      await clock.advance(1_000);
      return isThere;
    });
    await coming;
    expect(event?.event).toBe("statistics");
    return JSON.parse(event?.data ?? "null");
  }

  test("the overview pushes the endpoints of the key, each with its newest slot", async () => {
    const other = await server.endpoint({ name: "other" });
    await server.run(other);
    const bound = await server.key("read", { endpoints: [other] });
    const [shown] = (await server.get("/v1/statistics", bound)).json.endpoints;
    expect(shown).toMatchObject({ endpointId: other, total: { submitted: 1 } });
    const reader = await open("/v1/statistics", bound);
    const point = { ...shown.total, inQueue: 1, inProgress: 0, at: new Date(clock.now()).toISOString() };
    const { period, endpoints } = await nextOf(reader);
    expect(period).toBe("1h");
    const { now, ...rest } = endpoints[0];
    expect({ ...rest, now: { ...now, oldestMs: 0 } }).toEqual({ ...shown, point });
    await server.run(endpoint);
    await server.run(other);
    expect((await nextOf(reader)).endpoints).toMatchObject([{ endpointId: other, total: { submitted: 2 } }]);
  });

  test("the same without slots, with the newest one, and again when something has changed", async () => {
    const reader = await open(path("?period=15m"));
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    const first = await nextOf(reader);
    const point = { ...NO_FIGURES, at: first.point.at, inQueue: 0, inProgress: 0 };
    const { points: _, ...plain } = (await server.get(path("?period=15m"))).json;
    expect({ ...first, from: "", to: "" }).toEqual({ ...plain, point, from: "", to: "" });

    await server.run(endpoint);
    const second = await nextOf(reader);
    expect(second).toMatchObject({ now: { inQueue: 1 }, total: { submitted: 1 }, point: { submitted: 1 } });
    const worker = await server.worker(endpoint);
    await worker.take();
    const third = await nextOf(reader);
    expect(third).toMatchObject({ now: { inProgress: 1, workers: { running: 1 } }, total: { taken: 1 } });
  });

  test("nothing new is a comment now and then, and one reading serves all readers", async () => {
    const { engine } = server.forebay;
    const all = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (const reader of all) await nextOf(reader);
    expect(engine.readings.size).toBe(1);
    let looks = 0;
    const { fronts } = engine.store;
    engine.store.fronts = (endpoints) => {
      looks++;
      return fronts.call(engine.store, endpoints);
    };
    const rest = all.map((reader) => reader.next());
    const begin = clock.now();
    await until("each had two comments", async () => {
      await clock.advance(1_000);
      return all.every(({ comments }) => comments >= 2);
    });
    const seconds = (clock.now() - begin) / 1_000;
    expect(looks).toBeLessThanOrEqual(seconds + 1);
    engine.store.fronts = fronts;
    for (const reader of all) reader.leave();
    await Promise.allSettled(rest);
    await until("nobody follows any more", () => engine.readings.size === 0);
  });

  test("ends when the key is revoked, the endpoint is deleted, or the server stops", async () => {
    const { json: key } = await server.post("/v1/keys", { name: "reader", scopes: ["read"] });
    const revoked = await open(path(), { authorization: `Bearer ${key.key}` });
    await nextOf(revoked);
    await server.call("DELETE", `/v1/keys/${key.id}`);
    expect(await revoked.take()).toEqual([]);

    const gone = await open();
    await nextOf(gone);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    await clock.advance(1_000);
    expect(await gone.take()).toEqual([]);
    expect((await server.get(path(), { accept: "text/event-stream" })).status).toBe(404);

    const stopping = await TestServer.start();
    const at = await stopping.endpoint();
    const reader = await EventReader.open(`${stopping.url}/v1/endpoints/${at}/statistics`);
    await reader.next();
    const rest = reader.take();
    await stopping.stop();
    expect(await rest).toEqual([]);
  });
});
