import { DEFAULT_ACCOUNT } from "../src/domain/account.ts";
import { createEndpoint } from "../src/engine/records/endpoints.ts";
import { loadConfig } from "../src/config.ts";
import type { Call } from "../src/http/call.ts";
import { clientRoute } from "../src/http/client-route.ts";
import { httpContext } from "../src/http/context.ts";
import { parseSubmission } from "../src/http/queue/submission.ts";
import { jsonReply } from "../src/http/reply.ts";
import { startForebay } from "../src/main.ts";

// `node bin/bun.mjs bench/small-requests.ts`: CPU time of what every small request passes before the engine
// sees it: who sends it, whether its endpoint may have one more, and whether its body is a submission.
const ROUNDS = 7;
const CALLS = 100_000;
const KEY = "bench-key-0123456789";
const RAISED = { run: { requests: 100_000_000, concurrent: 100_000 } };

const config = loadConfig({ port: "0", data: ":memory:", demo: "false", "admin-key": KEY }, {});
const silent = { info() {}, warn() {}, error() {} };
const forebay = await startForebay(config, silent);
const fields = { name: "bench", rateLimits: RAISED };
const endpoint = await createEndpoint(forebay.engine, DEFAULT_ACCOUNT.id, fields);
const body = Buffer.from(JSON.stringify({ input: { prompt: "x".repeat(270) }, policy: { ttl: 60_000 } }));
const route = clientRoute(
  httpContext(forebay.engine, config, () => ""),
  {
    operation: "run",
    methods: ["POST"],
    path: "/v2/{endpoint}/run",
    async handle() {
      await parseSubmission(body, () => undefined);
      return jsonReply(["{}"]);
    },
  },
);
const request = new Request("http://bench/", { headers: { authorization: `Bearer ${KEY}` } });
const call: Call = {
  request,
  requestId: "bench",
  length: body.length,
  parameters: [endpoint.id],
  query: "",
  dialect: "spec",
  headers: {},
  hasKey: false,
  allowSilence() {},
};

const rounds: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = process.cpuUsage();
  for (let index = 0; index < CALLS; index++) await route.handle(call);
  const { user, system } = process.cpuUsage(before);
  rounds.push((user + system) / CALLS);
}
rounds.sort((a, b) => a - b);
console.log(`${rounds[ROUNDS >> 1]?.toFixed(2)} µs for each request of ${body.length} bytes`);
await forebay.stop();
