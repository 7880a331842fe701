import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startForebayUnderTest } from "./forebay-server.ts";
import { startLibraryWorker } from "./contestants/forebay.ts";
import { startClient, type Waits } from "./load-client.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

// `node bin/bun.mjs bench/backup.ts`: what a backup costs the submissions of a server that runs 1,000 jobs a
// second, and how much the write-ahead log grows while it is made.
const { values } = parseArgs({
  options: {
    /** Jobs that lie in the database before. */
    stored: { type: "string", default: "200000" },
    rate: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
  },
});

const data = temporaryDirectory("forebay-backup-data-");
const file = join(temporaryDirectory("forebay-backup-"), "forebay.tar");
const { server, port, endpoint, key, workerEnv } = await startForebayUnderTest({
  data: join(data, "data"),
  "run-retention-ms": "86400000",
});
const path = `/v2/${endpoint}/run`;
const worker = startLibraryWorker({ workerEnv }, {});
await worker.line("ready");
const load = await startClient({ ports: [port], path, key });
await load.submit(Number(values.stored));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sizeOf = async (name: string): Promise<number> =>
  (await stat(join(data, "data", name))).size / 1_048_576;

async function backUp(): Promise<{ seconds: number; log: number }> {
  const begunAt = performance.now();
  let log = 0;
  const look = setInterval(
    () => void sizeOf("forebay.db-wal").then((size) => (log = Math.max(log, size))),
    100,
  );
  const main = join(import.meta.dir, "../src/cli/main.ts");
  const url = `http://127.0.0.1:${port}`;
  const command = spawn(process.execPath, [main, "backup", file, "--server", url, "--key", key], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(command, "exit");
  if (code !== 0) throw new Error(`forebay backup ended with exit code ${code}`);
  clearInterval(look);
  return { seconds: (performance.now() - begunAt) / 1_000, log };
}

const shown = ({ rate, p50, p99, max }: Waits): string =>
  `${rate.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${max.toFixed(0)}`;

load.begin(Number(values.rate));
await pause(5_000);
await load.mark();
console.log("| | jobs/s | p50, ms | p99, ms | max, ms | |\n|---|---|---|---|---|---|");
const ratios: number[] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  await pause(10_000);
  const before = await load.mark();
  console.log(`| before | ${shown(before)} | database ${(await sizeOf("forebay.db")).toFixed(0)} MB |`);
  const { seconds, log } = await backUp();
  const during = await load.mark();
  const ratio = during.p99 / before.p99;
  ratios.push(ratio);
  const size = (await stat(file)).size / 1_048_576;
  const costs = `p99 ${ratio.toFixed(2)} times that before, load ${(loadavg()[0] ?? 0).toFixed(0)}`;
  const beside = `${size.toFixed(0)} MB in ${seconds.toFixed(1)} s, log at most ${log.toFixed(0)} MB`;
  console.log(`| backup | ${shown(during)} | ${beside}; ${costs} |`);
  await rm(file);
}
const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
console.log(`\nMedian of ${ratios.length}: p99 ${median.toFixed(2)} times that before.`);
await Promise.all([load.stop(), worker.stop(), server.stop()]);
process.exit(0);
