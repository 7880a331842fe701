import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type EndpointStatistics, PERIODS, type StatisticsPeriod } from "../../domain/statistics.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Reading } from "../../engine/follow-reading.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { endpointStatistics } from "../../engine/statistics/endpoint-statistics.ts";
import { accountOperation, endpointOperation, shownEndpoints } from "../account-operation.ts";
import { wantsEvents } from "../event-stream.ts";
import { liveReading } from "../live-reading.ts";
import {
  ALL_STATISTICS,
  type AllStatisticsAnswer,
  presentPoint,
  presentStatistics,
  presentSum,
  presentSummary,
  STATISTICS,
} from "../answers/statistics.ts";
import { choice } from "../parameters.ts";
import { jsonValue } from "../reply.ts";

const QUERY = {
  period: choice(
    PERIODS,
    "How far back, in slots of 10 s up to an hour, and of an hour beyond. Default: 1h.",
  ),
};

const LIVE =
  "With `Accept: text/event-stream` an event `statistics` comes whenever something has changed, once a " +
  "second at most: with `point`, the slot that is still filling, in the place of `points`.";

const ofOne = endpointOperation({
  id: "endpointStatistics",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/statistics",
  access: "read",
  tag: "statistics",
  summary: "Read what has happened on an endpoint",
  description: LIVE,
  query: QUERY,
  answers: { 200: { description: "The figures.", json: STATISTICS } },
  async handle(context, call, { access: { account }, endpoint: { id }, query }) {
    const { engine } = context;
    const { period = "1h" } = query();
    if (wantsEvents(call)) {
      return liveReading(context, call, "statistics", readingOfOne(engine, account, id, period));
    }
    const statistics = await endpointStatistics(engine, id, period);
    return jsonValue(presentStatistics(statistics));
  },
});

const ofAll = accountOperation({
  id: "statistics",
  method: "GET",
  path: "/v1/statistics",
  access: "read",
  isShownInPart: true,
  tag: "statistics",
  summary: "Read what has happened on all endpoints",
  description: `A key that is bound to endpoints sees those. ${LIVE}`,
  query: QUERY,
  answers: { 200: { description: "The figures of each.", json: ALL_STATISTICS } },
  async handle(context, call, { access, query }) {
    const { engine } = context;
    const { period = "1h" } = query();
    if (wantsEvents(call)) {
      return liveReading(context, call, "statistics", readingOfAll(engine, access, period));
    }
    const found = await all(engine, access, period);
    const endpoints = found.map(({ endpoint, statistics }) => presentSummary(endpoint, statistics));
    return jsonValue({ period, endpoints } satisfies AllStatisticsAnswer);
  },
});

/** What has happened on endpoints: one with its slots, or all as sums; once, or as a live stream. */
export const STATISTICS_OPERATIONS = [ofOne, ofAll] as const;

function readingOfOne(engine: Engine, account: string, id: string, period: StatisticsPeriod): Reading {
  return {
    name: `statistics ${account} ${id} ${period}`,
    async read() {
      const statistics = await endpointStatistics(engine, endpointOf(engine, account, id).id, period);
      const { to: _, from: __, ...presented } = presentSum(statistics);
      const point = presentPoint(statistics.point);
      return {
        text: JSON.stringify({ ...presentSum(statistics), point }),
        mark: JSON.stringify(timeless({ ...presented, point })),
      };
    },
  };
}

function readingOfAll(engine: Engine, access: Access, period: StatisticsPeriod): Reading {
  return {
    name: `overview ${access.account} ${access.endpoints?.join(" ") ?? ""} ${period}`,
    async read() {
      const endpoints = (await all(engine, access, period)).map(({ endpoint, statistics }) =>
        Object.assign(presentSummary(endpoint, statistics), { point: presentPoint(statistics.point) }),
      );
      return {
        text: JSON.stringify({ period, endpoints }),
        mark: JSON.stringify(endpoints.map(timeless)),
      };
    },
  };
}

/** The endpoints that the key opens, without those that are deleted meanwhile. */
async function all(engine: Engine, access: Access, period: StatisticsPeriod) {
  const found: { endpoint: Endpoint; statistics: EndpointStatistics }[] = [];
  for (const endpoint of shownEndpoints(engine, access)) {
    const statistics = await unlessGone(endpointStatistics(engine, endpoint.id, period));
    if (statistics !== undefined) found.push({ endpoint, statistics });
  }
  return found;
}

async function unlessGone<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof ForebayError && error.code === "ENDPOINT_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Without the members that change only with time. */
function timeless(presented: { readonly now: object; readonly point: object }): object {
  const { now, point } = presented;
  return { ...presented, now: { ...now, oldestMs: undefined }, point: { ...point, at: undefined } };
}
