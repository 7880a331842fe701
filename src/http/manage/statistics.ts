import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import {
  type EndpointStatistics,
  isPeriod,
  PERIODS,
  type StatisticsPeriod,
} from "../../domain/statistics.ts";
import type { Reading } from "../../engine/follow-reading.ts";
import { endpointOf, endpointsOf } from "../../engine/records/find-endpoint.ts";
import { endpointStatistics } from "../../engine/statistics/endpoint-statistics.ts";
import { accountRoute } from "../account-route.ts";
import {
  type AllStatisticsAnswer,
  presentPoint,
  presentStatistics,
  presentSum,
  presentSummary,
} from "../answers/statistics.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { wantsEvents } from "../event-stream.ts";
import { liveReading } from "../live-reading.ts";
import { parseQuery } from "../query.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** What has happened on endpoints: of one with its slots, of all in sum; as it is, or as it changes. */
export function statisticsRoutes(context: HttpContext): Route[] {
  const { engine } = context;

  function ofEndpoint(account: string, id: string, period: StatisticsPeriod): Reading {
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

  /** Of the endpoints that the key opens. One that goes meanwhile is left out. */
  async function all(account: string, opened: readonly string[] | undefined, period: StatisticsPeriod) {
    const found: { endpoint: Endpoint; statistics: EndpointStatistics }[] = [];
    for (const endpoint of endpointsOf(engine, account)) {
      if (opened !== undefined && !opened.includes(endpoint.id)) continue;
      const statistics = await unlessGone(endpointStatistics(engine, endpoint.id, period));
      if (statistics !== undefined) found.push({ endpoint, statistics });
    }
    return found;
  }

  function ofAll(account: string, opened: readonly string[] | undefined, period: StatisticsPeriod): Reading {
    return {
      name: `overview ${account} ${opened?.join(" ") ?? ""} ${period}`,
      async read() {
        const endpoints = (await all(account, opened, period)).map(({ endpoint, statistics }) =>
          Object.assign(presentSummary(endpoint, statistics), { point: presentPoint(statistics.point) }),
        );
        return {
          text: JSON.stringify({ period, endpoints }),
          mark: JSON.stringify(endpoints.map(timeless)),
        };
      },
    };
  }

  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/statistics",
      async handle(call, { account }) {
        const period = periodOf(call);
        const { id } = endpointOf(engine, account, call.parameters[0] ?? "");
        if (wantsEvents(call))
          return liveReading(context, call, "statistics", ofEndpoint(account, id, period));
        const statistics = await endpointStatistics(engine, id, period);
        return jsonValue(presentStatistics(statistics));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/statistics",
      async handle(call, { account, endpoints: opened }) {
        const period = periodOf(call);
        if (wantsEvents(call))
          return liveReading(context, call, "statistics", ofAll(account, opened, period));
        const found = await all(account, opened, period);
        const endpoints = found.map(({ endpoint, statistics }) => presentSummary(endpoint, statistics));
        return jsonValue({ period, endpoints } satisfies AllStatisticsAnswer);
      },
    }),
  ];
}

/** Throws INVALID_QUERY. */
function periodOf({ query }: Call): StatisticsPeriod {
  const given = parseQuery(query).text("period") ?? "1h";
  if (isPeriod(given)) return given;
  throw new ForebayError("INVALID_QUERY", `period is invalid; must be one of ${PERIODS.join(", ")}.`);
}

async function unlessGone<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof ForebayError && error.code === "ENDPOINT_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Without what changes with the time alone. */
function timeless(presented: { readonly now: object; readonly point: object }): object {
  const { now, point } = presented;
  return { ...presented, now: { ...now, oldestMs: undefined }, point: { ...point, at: undefined } };
}
