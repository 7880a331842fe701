// How much later chunks arrive through Forebay than from the worker itself, over a live stream and the
// OpenAI route: `node bin/bun.mjs bench/streams.ts [seconds] [memory]`, with `memory` without a disk. Two
// tables: streams that begin together, whose chunks come at the same moments, and some that begin at random.
import { join } from "node:path";
import { freePort } from "../test/support/free-port.ts";
import { startForebayUnderTest } from "./forebay-server.ts";
import type { Pace } from "./load/paced-chunks.ts";
import { MeasuredProcess } from "./measured-process.ts";

const seconds = Number(process.argv[2] ?? 4);
const RATES = [20, 100, 500];
const STREAMS = [1, 10, 100];
const UNPACED = 20_000;
/** In how much time streams begin that begin at random, ms: each moment between two chunks is as likely. */
const BEGINNING = 1_000;

const load = (name: string): string => join(import.meta.dir, "load", name);
const disk = process.argv[3] === "memory" ? { data: ":memory:" } : {};
const forebay = await startForebayUnderTest({ "run-retention-ms": "60000", ...disk });
const base = `http://127.0.0.1:${forebay.port}/v2/${forebay.endpoint}`;
const headers = { authorization: forebay.key, "content-type": "application/json" };
const worker = new MeasuredProcess([process.execPath, load("stream-worker.ts")], forebay.workerEnv);
await worker.line("ready");
const port = await freePort();
const direct = new MeasuredProcess([
  process.execPath,
  join(import.meta.dir, "peers/stream-server.ts"),
  String(port),
]);
await direct.line("ready");

interface Delay {
  readonly p50: number;
  readonly p99: number;
  /** ms from the first call to the last chunk. */
  readonly took: number;
}

interface Setting extends Pace {
  readonly streams: number;
}

await table("begin together", STREAMS, 0);
await table(
  "begin at random moments",
  STREAMS.filter((streams) => streams > 1),
  BEGINNING,
);
await unpaced();
for (const one of [worker, direct, forebay.server]) await one.stop();
await forebay.clean();

async function table(title: string, numbers: readonly number[], within: number): Promise<void> {
  console.log(
    `| chunks/s × streams, which ${title} | direct p50 / p99, ms | live stream, added p50 / p99 ` +
      "| OpenAI route, added | server CPU per chunk, µs: live, OpenAI |",
  );
  console.log("|---|---|---|---|---|");
  for (const streams of numbers) {
    for (const rate of RATES) {
      await row(`${rate} × ${streams}`, { rate, count: rate * seconds, within, streams });
    }
  }
  console.log();
}

async function row(name: string, setting: Setting): Promise<void> {
  const bare = await viaWorker(setting);
  const live = await counted(setting, liveStreams);
  const openAi = await counted(setting, openAiStreams);
  const added = ({ p50, p99 }: Delay): string =>
    `${(p50 - bare.p50).toFixed(1)} / ${(p99 - bare.p99).toFixed(1)}`;
  const own = `${bare.p50.toFixed(1)} / ${bare.p99.toFixed(1)}`;
  const cpu = `${live.cpu.toFixed(0)}, ${openAi.cpu.toFixed(0)}`;
  console.log(`| ${name} | ${own} | ${added(live)} | ${added(openAi)} | ${cpu} |`);
}

async function unpaced(): Promise<void> {
  const setting = { rate: 0, count: UNPACED, within: 0, streams: 1 };
  for (const [name, via] of Object.entries({ viaWorker, liveStreams, openAiStreams })) {
    const { took } = await via(setting);
    console.log(`unpaced, ${name}: ${Math.round((UNPACED / took) * 1_000)} chunks/s`);
  }
}

/** With what the server has used for each chunk, µs. */
async function counted(
  setting: Setting,
  via: (setting: Setting) => Promise<Delay>,
): Promise<Delay & { cpu: number }> {
  const before = forebay.server.cpu();
  const delay = await via(setting);
  return { ...delay, cpu: (forebay.server.cpu() - before) / (setting.count * setting.streams) };
}

function viaWorker({ rate, count, within, streams }: Setting): Promise<Delay> {
  const url = `http://127.0.0.1:${port}/?rate=${rate}&count=${count}&within=${within}`;
  return read({ url, headers: {}, ids: idsOf(streams), count });
}

async function liveStreams({ streams, ...pace }: Setting): Promise<Delay> {
  const { count } = pace;
  const body = JSON.stringify({ input: pace });
  const submit = async (): Promise<string> => {
    const submitted = await fetch(`${base}/run`, { method: "POST", headers, body });
    return ((await submitted.json()) as { id: string }).id;
  };
  const ids = await Promise.all(idsOf(streams).map(submit));
  const accept = { ...headers, accept: "text/event-stream" };
  return read({ url: `${base}/stream/$ID`, headers: accept, ids, count });
}

function openAiStreams({ streams, ...pace }: Setting): Promise<Delay> {
  const { count } = pace;
  const body = JSON.stringify({ stream: true, ...pace });
  return read({ url: `${base}/openai/v1/chat/completions`, headers, body, ids: idsOf(streams), count });
}

function idsOf(streams: number): string[] {
  return Array.from({ length: streams }, (_, index) => String(index));
}

async function read(asked: object): Promise<Delay> {
  const startedAt = performance.now();
  const readers = new MeasuredProcess([process.execPath, load("stream-readers.ts"), JSON.stringify(asked)]);
  const { p50, p99 } = JSON.parse(await readers.line("p50"));
  await readers.stop();
  return { p50, p99, took: performance.now() - startedAt };
}
