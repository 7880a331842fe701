import { nextTurn } from "../../engine/next-turn.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import type { Route } from "../route.ts";
import { collectMetrics } from "./collect-metrics.ts";
import { exposition, EXPOSITION_TYPE } from "./exposition.ts";
import { METRICS, type MetricName } from "./metric-table.ts";

/** What Prometheus scrapes: of all endpoints of the server, for keys of its operator (design, row 21). */
export function metricsRoute(context: HttpContext): Route {
  return accountRoute(context, {
    methods: ["GET"],
    path: "/metrics",
    async handle() {
      const samples = await collectMetrics(context.engine);
      const parts: string[] = [];
      for (const [name, metric] of Object.entries(METRICS)) {
        // The table has these names and no other.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        parts.push(exposition(name, metric, samples[name as MetricName]));
        // With many endpoints nobody waits for the whole of it.
        await nextTurn();
      }
      return { status: 200, headers: { "content-type": EXPOSITION_TYPE }, body: parts.join("") };
    },
  });
}
