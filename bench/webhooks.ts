import { join } from "node:path";
import { startForebayUnderTest } from "./forebay-server.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/webhooks.ts [jobs a second] [seconds]`: how late webhooks come where one receiver
// in ten hangs, is slow or fails, and what they do to the time until a job is handed out.
const [rate = "500", seconds = "30"] = process.argv.slice(2);
const RECEIVERS = 30;
const HANGING = 1;
const SLOW = 1;
const FAILING = 1;
const PAUSE = 10_000;

interface Row {
  readonly kind: string;
  readonly attempt: string;
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const without = await measure(false);
const withThem = await measure(true);
console.log(
  `\n${rate} jobs a second for ${seconds} s\n\n| hand-out, ms | p50 | p90 | p99 |\n|---|---|---|---|`,
);
for (const [name, { p50, p90, p99 }] of [
  ["without webhooks", without.waits],
  ["with webhooks", withThem.waits],
] as const) {
  console.log(`| ${name} | ${p50.toFixed(2)} | ${p90.toFixed(2)} | ${p99.toFixed(2)} |`);
}
console.log(
  `\n| CPU for each job, µs | ${without.cpu.toFixed(0)} without, ${withThem.cpu.toFixed(0)} with |`,
);
console.log("\n| receiver | attempt | calls | p50 late, ms | p99 | most |\n|---|---|---|---|---|---|");
for (const { kind, attempt, calls, p50, p99, max } of withThem.rows) {
  if (calls > 0) console.log(`| ${kind} | ${attempt} | ${calls} | ${p50} | ${p99} | ${max} |`);
}

async function measure(hasWebhooks: boolean) {
  const forebay = await startForebayUnderTest({ "webhook-allow": "127.0.0.0/8" });
  const { server, port, endpoint, key, workerEnv, clean } = forebay;
  const counts = [RECEIVERS, HANGING, SLOW, FAILING, PAUSE].map(String);
  const receivers = new MeasuredProcess([process.execPath, script("webhook-receivers"), ...counts]);
  const [, ...ports] = (await receivers.line("ports")).split(" ");
  const token = workerEnv["RUNPOD_AI_API_KEY"] ?? "";
  const given = [`http://127.0.0.1:${port}`, endpoint, key, token, rate, seconds];
  const before = server.cpu();
  const load = new MeasuredProcess([
    process.execPath,
    script("webhook-load"),
    ...given,
    ...(hasWebhooks ? ports : []),
  ]);
  try {
    const waits = JSON.parse(await load.line("p50")) as { p50: number; p90: number; p99: number };
    const cpu = (server.cpu() - before) / (Number(rate) * Number(seconds));
    // The last attempts of what failed come two pauses later.
    if (hasWebhooks) await Bun.sleep(2 * PAUSE + 3_000);
    receivers.signal("SIGUSR2");
    const rows = JSON.parse((await receivers.line("report")).slice("report ".length)) as Row[];
    return { waits, cpu, rows };
  } finally {
    await Promise.all([load.stop(), receivers.stop(), server.stop()]);
    await clean();
  }
}

function script(name: string): string {
  return join(import.meta.dir, `load/${name}.ts`);
}
