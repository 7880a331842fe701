import { DEFAULT_ACCOUNT } from "../src/domain/account.ts";
import { emptyFigures, COUNTED } from "../src/domain/figures.ts";
import { observe } from "../src/domain/histogram.ts";
import { SLOT_WIDTHS, slotAt, STATISTICS_PERIODS } from "../src/domain/statistics.ts";
import { createEndpoint } from "../src/engine/records/endpoints.ts";
import { endpointStatistics } from "../src/engine/statistics/endpoint-statistics.ts";
import { IN_MEMORY, loadConfig } from "../src/config.ts";
import { startForebay } from "../src/main.ts";
import { presentPoint, presentStatistics } from "../src/http/present/statistics.ts";

// CPU of one look at an endpoint with something in every slot, as a live reader has it once a second:
// `node bin/bun.mjs bench/live-statistics.ts`. The limit is 1 % of a core: 10 ms.
const LOOKS = 200;

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const forebay = await startForebay(loadConfig({ port: "0", data: IN_MEMORY, demo: "false" }, {}), quiet);
const { engine } = forebay;
const { id: endpoint } = await createEndpoint(engine, DEFAULT_ACCOUNT.id, { name: "busy" });
const now = engine.clock.now();
for (const { width, keptFor } of SLOT_WIDTHS) {
  const slots = Array.from({ length: keptFor / width - 1 }, (_, n) => {
    const figures = emptyFigures();
    for (const name of COUNTED) figures.counts[name] = 1_000;
    for (let ms = 1; ms < 1e7; ms *= 1.6) {
      observe(figures.delay, ms);
      observe(figures.execution, ms);
    }
    return { endpoint, width, at: slotAt(now, width) - n * width, figures };
  });
  await engine.store.apply([{ step: "addStatistics", server: "bench", slots }], now);
}

for (const period of ["15m", "1h", "7d", "30d"] as const) {
  const look = async (): Promise<string> => {
    const found = await endpointStatistics(engine, endpoint, period);
    return JSON.stringify({ ...presentStatistics(found), point: presentPoint(found.point) });
  };
  const first = process.cpuUsage();
  await look();
  const { user, system } = process.cpuUsage(first);
  const before = process.cpuUsage();
  for (let n = 0; n < LOOKS; n++) await look();
  const all = process.cpuUsage(before);
  const each = (all.user + all.system) / LOOKS / 1_000;
  const slots = STATISTICS_PERIODS[period].length / STATISTICS_PERIODS[period].width;
  const firstMs = ((user + system) / 1_000).toFixed(2);
  console.log(`${period}: ${slots} slots, first look ${firstMs} ms, then ${each.toFixed(2)} ms`);
}
await forebay.stop();
