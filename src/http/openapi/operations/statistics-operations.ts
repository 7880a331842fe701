import { PERIODS } from "../../../domain/statistics.ts";
import * as answers from "../../answers/statistics.ts";
import type { Described } from "../description.ts";
import { plainText } from "./parameters.ts";

const PERIOD = {
  period: plainText("How far back, in slots of 10 s up to an hour, and of an hour beyond. Default: 1h.", {
    enum: PERIODS,
  }),
};

const LIVE =
  "With `Accept: text/event-stream` an event `statistics` comes whenever something has changed, once a " +
  "second at most: with `point`, the slot that is still filling, in the place of `points`.";

/** Operations on what has happened on endpoints (docs/statistics.md). */
export const STATISTICS_OPERATIONS = {
  "/v1/endpoints/{endpoint}/statistics": {
    GET: {
      id: "endpointStatistics",
      tag: "statistics",
      summary: "Read what has happened on an endpoint",
      description: LIVE,
      query: PERIOD,
      answers: { 200: { description: "The figures.", json: answers.STATISTICS } },
    },
  },
  "/v1/statistics": {
    GET: {
      id: "statistics",
      tag: "statistics",
      summary: "Read what has happened on all endpoints",
      description: `A key that is bound to endpoints sees those. ${LIVE}`,
      query: PERIOD,
      answers: { 200: { description: "The figures of each.", json: answers.ALL_STATISTICS } },
    },
  },
} as const satisfies Partial<Described>;
