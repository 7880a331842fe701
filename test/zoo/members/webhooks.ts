import type { Member } from "../member.ts";

const OUTBOX = "src/store/sqlite/sqlite-outbox.ts";

/** When receivers are called, how often and with what. */
export const MEMBERS: readonly Member[] = [
  {
    name: "no webhook of a cancel",
    breaks: "Each end of a job has a webhook, a cancel too",
    file: "src/store/sqlite/steps/sqlite-cancel.ts",
    replace: `    if (row.receiver !== null) addDelivery(row.seq);
`,
    by: `
`,
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "webhook of another owner",
    breaks: "An attempt is written down only by the server that made it",
    file: "src/store/sqlite/steps/sqlite-record-deliveries.ts",
    replace: " AND owner = ?3 AND started = ?4",
    by: " AND ?3 <> '' AND ?4 > 0",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "webhook claimed twice",
    breaks: "A claimed webhook is not due again while its attempt runs",
    file: "src/store/sqlite/steps/sqlite-claim-deliveries.ts",
    replace: "SET owner = ?2, due_at = ?3,",
    by: "SET owner = ?2, due_at = min(due_at, ?3),",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "webhook body goes with its job",
    breaks: "A retry sends the body of that end, also when the job is gone",
    file: OUTBOX,
    replace: "(output === null ? 0 : payloads.share(output))",
    by: '(output === null || typeof output === "number" ? 0 : payloads.share(output))',
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "R19" },
  },
  {
    name: "one attempt too few",
    breaks: "A webhook is tried again twice",
    file: "src/engine/webhooks/after-attempt.ts",
    replace: "if (attempts > retries)",
    by: "if (attempts >= retries)",
    caughtBy: { suite: "http", files: ["test/http/webhooks.test.ts", "test/http/webhook-settings.test.ts"] },
  },
  {
    name: "redirect acknowledges",
    breaks: "Only a 2xx acknowledges a webhook",
    file: "src/engine/webhooks/after-attempt.ts",
    replace: "status < 300",
    by: "status < 400",
    caughtBy: { suite: "http", files: ["test/http/spec/6-webhooks.test.ts"] },
  },
  {
    name: "signature without time",
    breaks: "The signature covers id, time and body",
    file: "src/engine/webhooks/webhook-call.ts",
    replace: ".update(`${id}.${timestamp}.`)",
    by: ".update(`${id}.`)",
    caughtBy: { suite: "http", files: ["test/http/webhooks.test.ts"] },
  },
  {
    name: "old secret signs no more",
    breaks: "After a rotation both secrets sign",
    file: "src/engine/webhooks/webhook-call.ts",
    replace: "previous === undefined ? [secret] : [secret, previous.secret]",
    by: "previous === undefined ? [secret] : [secret]",
    caughtBy: { suite: "http", files: ["test/http/webhooks.test.ts"] },
  },
  {
    name: "webhooks of a killed server",
    breaks: "What a killed server had claimed is called at the next start",
    file: "src/duties/deliver-webhooks.ts",
    replace: "if (!isReleased) await releaseDeliveries(engine);",
    by: "if (isReleased) await releaseDeliveries(engine);",
    caughtBy: { suite: "races", files: ["test/races/webhooks.test.ts"] },
  },
  {
    name: "new id for each attempt",
    breaks: "All attempts of a webhook have one id",
    file: "src/engine/webhooks/webhook-call.ts",
    replace: '"webhook-id": id,',
    by: '"webhook-id": `${id}${timestamp}`,',
    caughtBy: { suite: "races", files: ["test/races/webhooks.test.ts"] },
  },
  {
    name: "webhook forgotten early",
    breaks: "A delivered webhook stays listed until its time is over",
    file: "src/store/sqlite/steps/sqlite-forget-deliveries.ts",
    replace: "state <> 'PENDING' AND due_at <= ?1",
    by: "state <> 'PENDING' AND ?1 > 0",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "attempts never end",
    breaks: "A receiver that cuts each attempt is given up",
    file: "src/domain/webhook.ts",
    replace: "started <= retries + 1 + MOST_CUT",
    by: "started >= 0",
    caughtBy: { suite: "unit", files: ["test/domain/webhook.test.ts"] },
  },
  {
    name: "one receiver takes all",
    breaks: "A receiver that hangs leaves room to others",
    file: "src/duties/receiver-room.ts",
    replace: "isSlow && atSlow >= MOST_AT_SLOW ? 0 :",
    by: "isSlow && atSlow < 0 ? 0 :",
    caughtBy: { suite: "fleet", files: ["test/duties/receiver-room.test.ts"] },
  },
];
