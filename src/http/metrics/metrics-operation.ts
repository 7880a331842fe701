import { nextTurn } from "../../engine/next-turn.ts";
import { accountOperation } from "../account-operation.ts";
import { collectMetrics } from "./collect-metrics.ts";
import { exposition, EXPOSITION_TYPE } from "./exposition.ts";
import { METRICS, type MetricName } from "./metric-table.ts";

/** The metrics that Prometheus scrapes: of all endpoints, for keys of the operator (design, row 21). */
export const metrics = accountOperation({
  id: "metrics",
  method: "GET",
  path: "/metrics",
  access: "metrics",
  tag: "server",
  summary: "What Prometheus scrapes",
  description:
    "The text format of Prometheus, with the figures of all accounts. docs/metrics.md describes each one.",
  answers: { 200: { description: "The metrics.", mediaType: "text/plain" } },
  async handle({ engine }) {
    const samples = await collectMetrics(engine);
    const parts: string[] = [];
    for (const [name, metric] of Object.entries(METRICS)) {
      // The table has these names and no other.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      parts.push(exposition(name, metric, samples[name as MetricName]));
      // With many endpoints, other calls get their turn in between.
      await nextTurn();
    }
    return { status: 200, headers: { "content-type": EXPOSITION_TYPE }, body: parts.join("") };
  },
});
