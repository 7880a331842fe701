import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { type ForebayUnderTest, startForebayUnderTest } from "../forebay-server.ts";
import type { Pace } from "../load/paced-chunks.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { figureGoal, type Row, type Scale, type Workload } from "../workload.ts";

const CASE = "streams of our library on Bun";
/** In how much time streams begin that begin at random, ms: each moment between two chunks is as likely. */
const AT_RANDOM = 1_000;
const SECONDS = 3;

interface Setting extends Pace {
  readonly streams: number;
}

interface Delay {
  readonly p50: number;
  readonly p99: number;
}

const SETTINGS: readonly Omit<Setting, "count">[] = [
  { rate: 100, streams: 1, within: 0 },
  { rate: 100, streams: 10, within: 0 },
  { rate: 20, streams: 100, within: 0 },
  { rate: 100, streams: 100, within: 0 },
  { rate: 100, streams: 100, within: AT_RANDOM },
];

const nameOf = ({ rate, streams, within }: Omit<Setting, "count">, route: string): string => {
  const begin = streams === 1 ? "" : within === 0 ? ", begun together" : ", begun at random";
  return `${rate} chunks/s × ${streams}${begin}: ${route}`;
};

/** How much later chunks arrive through Forebay than from the worker itself. */
export const STREAMS: Workload = {
  id: "streams",
  title: "Streams: how much later a chunk arrives",
  about:
    "One worker of our library on Bun, streams of small chunks at a steady pace, a reader for each. The " +
    "delay is what Forebay adds to the same chunks over HTTP from the worker itself. Each chunk is durable " +
    "before readers get it.",
  rounds: 2,
  minutes: 2,
  columns: [
    { key: "p50", title: "added p50, ms", digits: 1 },
    { key: "p99", title: "added p99, ms", digits: 1 },
    { key: "direct", title: "from the worker p50, ms", digits: 1 },
    { key: "cpu", title: "CPU of the server/chunk, µs", digits: 0 },
  ],
  goals: [20, 100].flatMap((rate) =>
    ["live", "OpenAI"].map((route) =>
      figureGoal({
        what: `100 streams begun together, ${rate} chunks/s each, ${route}: added p50, ms`,
        row: nameOf({ rate, streams: 100, within: 0 }, route),
        of: CASE,
        key: "p50",
        must: { most: 2 },
        digits: 1,
      }),
    ),
  ),
  cases: async (scale) => [{ name: CASE, measure: () => measure(scale) }],
};

async function measure({ build, warmUp, isQuick }: Scale): Promise<Row[]> {
  const forebay = await startForebayUnderTest(build, { "run-retention-ms": "60000" });
  const worker = startProgram("load/stream-worker.mjs", [], forebay.workerEnv);
  const port = await freePort();
  const direct = startProgram("peers/stream-server.ts", [String(port)]);
  try {
    await Promise.all([worker.line("ready"), direct.line("ready")]);
    for (const via of [liveStreams, openAiStreams]) {
      await via(forebay, { rate: 0, count: Math.ceil(warmUp / 20), within: 0, streams: 20 });
    }
    const rows: Row[] = [];
    for (const one of SETTINGS) {
      const setting = { ...one, count: Math.ceil(one.rate * (isQuick ? 0.1 : SECONDS)) };
      const bare = await fromWorker(port, setting);
      for (const [route, via] of [
        ["live", liveStreams],
        ["OpenAI", openAiStreams],
      ] as const) {
        const before = forebay.server.cpu();
        const { p50, p99 } = await via(forebay, setting);
        const cpu = (forebay.server.cpu() - before) / (setting.count * setting.streams);
        const added = { p50: p50 - bare.p50, p99: p99 - bare.p99 };
        rows.push({ name: nameOf(one, route), figures: { ...added, direct: bare.p50, cpu } });
      }
    }
    return rows;
  } finally {
    await Promise.all([worker.stop(), direct.stop(), forebay.server.stop()]);
    await forebay.clean();
  }
}

function fromWorker(port: number, { rate, count, within, streams }: Setting): Promise<Delay> {
  const url = `http://127.0.0.1:${port}/?rate=${rate}&count=${count}&within=${within}`;
  return read({ url, headers: {}, ids: idsOf(streams), count });
}

async function liveStreams(forebay: ForebayUnderTest, { streams, ...pace }: Setting): Promise<Delay> {
  const headers = headersOf(forebay);
  const body = JSON.stringify({ input: pace });
  const submit = async (): Promise<string> => {
    const submitted = await fetch(`${baseOf(forebay)}/run`, { method: "POST", headers, body });
    return ((await submitted.json()) as { id: string }).id;
  };
  const ids = await Promise.all(idsOf(streams).map(submit));
  const accept = { ...headers, accept: "text/event-stream" };
  return read({ url: `${baseOf(forebay)}/stream/$ID`, headers: accept, ids, count: pace.count });
}

function openAiStreams(forebay: ForebayUnderTest, { streams, ...pace }: Setting): Promise<Delay> {
  const url = `${baseOf(forebay)}/openai/v1/chat/completions`;
  const body = JSON.stringify({ stream: true, ...pace });
  return read({ url, headers: headersOf(forebay), body, ids: idsOf(streams), count: pace.count });
}

function baseOf({ port, endpoint }: ForebayUnderTest): string {
  return `http://127.0.0.1:${port}/v2/${endpoint}`;
}

function headersOf({ key }: ForebayUnderTest): Record<string, string> {
  return { authorization: key, "content-type": "application/json" };
}

function idsOf(streams: number): string[] {
  return Array.from({ length: streams }, (_, index) => String(index));
}

async function read(asked: object): Promise<Delay> {
  const readers = startProgram("load/stream-readers.ts", [JSON.stringify(asked)]);
  try {
    return JSON.parse(await readers.line("p50"));
  } finally {
    await readers.stop();
  }
}

function startProgram(script: string, args: readonly string[], env: Record<string, string> = {}) {
  return new MeasuredProcess([process.execPath, join(import.meta.dir, "..", script), ...args], env);
}
