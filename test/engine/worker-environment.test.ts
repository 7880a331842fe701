import { expect, test } from "bun:test";
import { workerEnvironment } from "../../src/engine/worker-environment.ts";

const RECORD = {
  id: "w1",
  account: "a",
  endpoint: "e",
  managed: false,
  server: undefined,
  startedAt: undefined,
  digest: "",
};
/** As the SDKs expect them: `$ID` is the worker in the first, and the job in the others. */
const ADDRESSES = {
  RUNPOD_WEBHOOK_GET_JOB: "http://f/v2/e/job-take/$ID?gpu=x",
  RUNPOD_WEBHOOK_POST_OUTPUT: "http://f/v2/e/job-done/$RUNPOD_POD_ID/$ID?gpu=x",
  RUNPOD_WEBHOOK_POST_STREAM: "http://f/v2/e/job-stream/$RUNPOD_POD_ID/$ID?gpu=x",
  RUNPOD_WEBHOOK_PING: "http://f/v2/e/ping/$RUNPOD_POD_ID?gpu=x",
  RUNPOD_PING_INTERVAL: "10000",
  RUNPOD_AI_API_KEY: "token",
  RUNPOD_ENDPOINT_ID: "e",
  RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
  FOREBAY_WORKER_TOKEN: "token",
};

test("the environment of a worker has the addresses that the SDKs fill in, and its id", () => {
  const created = { record: { ...RECORD, many: false }, token: "token" };
  expect(workerEnvironment(created, "http://f", 10_000)).toEqual({
    ...ADDRESSES,
    FOREBAY_EXCHANGE_URL: "http://f/v2/e/exchange/w1",
    RUNPOD_POD_ID: "w1",
  });
});

test("workers that share a token each put in an id of their own", () => {
  const created = { record: { ...RECORD, many: true }, token: "token" };
  expect(workerEnvironment(created, "http://f", 10_000)).toEqual({
    ...ADDRESSES,
    FOREBAY_EXCHANGE_URL: "http://f/v2/e/exchange/$ID",
  });
});
