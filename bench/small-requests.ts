import { startForebay } from "../src/main.ts";
import { loadConfig } from "../src/config.ts";
import { auth } from "../src/http/auth.ts";
import { parseSubmission } from "../src/http/queue/submission.ts";

// `node bin/bun.mjs bench/small-requests.ts`: CPU time of what every small request passes before the engine
// sees it: who sends it, and whether its body is a submission.
const ROUNDS = 7;
const CALLS = 100_000;
const KEY = "bench-key-0123456789";

const config = loadConfig({ port: "0", data: ":memory:", demo: "false", "admin-key": KEY }, {});
const silent = { info() {}, warn() {}, error() {} };
const forebay = await startForebay(config, silent);
const guard = auth(forebay.engine.configuration, KEY);
const body = Buffer.from(JSON.stringify({ input: { prompt: "x".repeat(270) }, policy: { ttl: 60_000 } }));
const request = new Request("http://bench/", { headers: { authorization: `Bearer ${KEY}` } });

const rounds: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) {
    guard.account(request);
    await parseSubmission(body);
  }
  const { user, system } = process.cpuUsage(before);
  rounds.push((user + system) / CALLS);
}
rounds.sort((a, b) => a - b);
console.log(`${rounds[ROUNDS >> 1]?.toFixed(2)} µs for each request of ${body.length} bytes`);
await forebay.stop();
