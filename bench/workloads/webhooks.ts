import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startForebayUnderTest } from "../forebay-server.ts";
import { MeasuredProcess } from "../measured-process.ts";
import type { Case, Row, Scale, Workload } from "../workload.ts";

const WITHOUT = "hand-outs without webhooks";
const WITH = "hand-outs with webhooks";
/** Jobs a second. */
const RATE = 500;
const RECEIVERS = 30;
/** Of these, how many hang, are slow, and fail. */
const [HANGING, SLOW, FAILING] = [1, 1, 1];
/** From one attempt to the next, ms. */
const PAUSE = 10_000;

interface Late {
  readonly kind: string;
  readonly attempt: string;
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How late webhooks come, and what they cost hand-outs. */
export const WEBHOOKS: Workload = {
  id: "webhooks",
  title: "Webhooks",
  about:
    `${RATE} jobs a second. Of ${RECEIVERS} receivers one hangs, one takes 1.5 s, and one answers 500. ` +
    "Hand-outs count from the submission, webhooks from the end of the job or of the pause before them.",
  rounds: 2,
  minutes: 3,
  isExtra: true,
  columns: [
    { key: "calls", title: "calls", digits: 0 },
    { key: "p50", title: "p50, ms", digits: 2 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "max", title: "worst, ms", digits: 0 },
    { key: "cpu", title: "CPU/job of the server, µs", digits: 0 },
  ],
  goals: [],
  cases: async (scale) =>
    [WITHOUT, WITH].map((name): Case => ({ name, measure: () => measure(name, scale) })),
};

async function measure(name: string, { build, isQuick }: Scale): Promise<Row[]> {
  const forebay = await startForebayUnderTest(build, { "webhook-allow": "127.0.0.0/8" });
  const { server, port, endpoint, key, token, clean } = forebay;
  const counts = [RECEIVERS, HANGING, SLOW, FAILING, PAUSE].map(String);
  const receivers = new MeasuredProcess([process.execPath, script("webhook-receivers"), ...counts]);
  const [, ...ports] = (await receivers.line("ports")).split(" ");
  const seconds = isQuick ? 1 : 15;
  const given = [`http://127.0.0.1:${port}`, endpoint, key, token, String(RATE), String(seconds)];
  const before = server.cpu();
  const load = new MeasuredProcess([
    process.execPath,
    script("webhook-load"),
    ...given,
    ...(name === WITH ? ports : []),
  ]);
  try {
    const { p50, p99 } = JSON.parse(await load.line("p50")) as { p50: number; p99: number };
    const cpu = (server.cpu() - before) / (RATE * seconds);
    const handOuts = { name, figures: { p50, p99, cpu } };
    if (name === WITHOUT) return [handOuts];
    // The last attempts of what failed come two pauses later.
    await pause(isQuick ? 500 : 2 * PAUSE + 3_000);
    receivers.signal("SIGUSR2");
    const late = JSON.parse((await receivers.line("report")).slice("report ".length)) as Late[];
    return [handOuts, ...late.filter(({ calls }) => calls > 0).map(rowOf)];
  } finally {
    await Promise.all([load.stop(), receivers.stop(), server.stop()]);
    await clean();
  }
}

function rowOf({ kind, attempt, ...figures }: Late): Row {
  return { name: `${kind} receivers, ${attempt} attempts`, figures };
}

function script(name: string): string {
  return join(import.meta.dir, `../load/${name}.ts`);
}
