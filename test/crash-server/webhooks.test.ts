import { describe, expect, test } from "bun:test";
import { emptyHistory, type WebhookCall } from "./history.ts";
import { jobHistories } from "./job-history.ts";
import { wrongWebhooks } from "./webhooks.ts";

const SUBMISSION = { endpoint: "e", tag: "t", id: "a", mayTimeOut: false, hasWebhook: true, from: 1, to: 2 };
const END = { id: "a", state: "COMPLETED", from: 5, to: 6, record: "r" } as const;
const CALL: WebhookCall = { webhookId: "w", id: "a", state: "COMPLETED", record: "r" };

function found(webhooks: readonly WebhookCall[], hasWebhook = true): string[] {
  const submissions = [{ ...SUBMISSION, hasWebhook }];
  const history = { ...emptyHistory(), submissions, sightings: [END], webhooks: [...webhooks] };
  return wrongWebhooks(history, jobHistories(history));
}

describe("the checker of webhooks", () => {
  test("finds nothing wrong with an end that was told, once or more often", () => {
    expect(found([CALL])).toEqual([]);
    expect(found([CALL, CALL])).toEqual([]);
    expect(found([], false)).toEqual([]);
  });

  test("finds an end that was not told, or not as it was", () => {
    expect(found([])).toEqual(["a was COMPLETED, and no webhook told so"]);
    expect(found([{ ...CALL, record: "other" }])).toEqual(["a was COMPLETED, and no webhook told so"]);
  });

  test("finds a webhook with two bodies, of no end, and of a job that has none", () => {
    expect(found([CALL, { ...CALL, record: "other" }])).toEqual(["w came with two bodies"]);
    expect(found([{ ...CALL, state: "IN_PROGRESS" }])).toEqual(["a webhook came of a in IN_PROGRESS"]);
    expect(found([CALL], false)).toEqual(["a webhook came of a, which has none"]);
  });
});
