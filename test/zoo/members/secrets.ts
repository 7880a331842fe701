import type { Member } from "../member.ts";

/** What lies sealed, and what is counted. */
export const MEMBERS: readonly Member[] = [
  {
    name: "secret opens anywhere",
    breaks: "A sealed secret that was moved to another row does not open",
    file: "src/engine/secret-box.ts",
    replace: `createDecipheriv("aes-256-gcm", key.bytes, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))`,
    by: `createDecipheriv("aes-256-gcm", key.bytes, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose === "" ? purpose : ""))`,
    caughtBy: { suite: "unit", files: ["test/engine/secret-box.test.ts"] },
  },
  {
    name: "webhook in clear",
    breaks: "The address of a webhook lies sealed",
    file: "src/engine/webhooks/job-webhook.ts",
    replace: 'sealed: engine.secrets.seal(bytes, purposeOf("webhook", endpoint, id)),',
    by: "sealed: bytes,",
    caughtBy: { suite: "http", files: ["test/http/webhooks.test.ts"], test: "address as it was sent" },
  },
  {
    name: "old key forgotten too soon",
    breaks: "A rotation waits for what is being sealed by the key before",
    file: "src/engine/rotate-keys.ts",
    replace: `  await secrets.stored();
`,
    by: `
`,
    caughtBy: { suite: "http", files: ["test/http/rotate-secrets.test.ts"], test: "meanwhile" },
  },
  {
    name: "resealed over a change",
    breaks: "A rotation does not overwrite what changed meanwhile",
    file: "src/store/sqlite/steps/sqlite-reseal.ts",
    replace: "UPDATE job SET webhook = ?4 WHERE endpoint = ?1 AND id = ?2 AND webhook = ?3",
    by: "UPDATE job SET webhook = ?4 WHERE endpoint = ?1 AND id = ?2 AND ?3 <> ''",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "seal" },
  },
  {
    name: "statistics are replaced",
    breaks: "Figures of one slot are added up",
    file: "src/store/sqlite/steps/sqlite-statistics.ts",
    replace: `        addFigures(sum, figures);
`,
    by: `
`,
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "statistic" },
  },
  {
    name: "statistics counted twice",
    breaks: "Changes of another server are counted by that one",
    file: "src/engine/statistics/statistics.ts",
    replace: "if (isOwn) count(signal, at);",
    by: "if (isOwn || !isOwn) count(signal, at);",
    caughtBy: { suite: "postgres", files: ["test/postgres/two-servers.test.ts"], test: "statistics of both" },
  },
  {
    name: "failed flush loses figures",
    breaks: "Figures that could not be written are kept",
    file: "src/engine/statistics/unwritten-statistics.ts",
    replace: "for (const [at, figures] of slots) addFigures(entry(slotsFor(endpoint), at), figures);",
    by: "for (const [at] of slots) entry(slotsFor(endpoint), at);",
    caughtBy: { suite: "unit", files: ["test/engine/statistics.test.ts"] },
  },
  {
    name: "late results are not counted",
    breaks: "Statistics count each end of a job",
    file: "src/engine/statistics/statistics.ts",
    replace: `  completeLate: "completed",
`,
    by: "",
    caughtBy: { suite: "unit", files: ["test/engine/late-results.test.ts"] },
  },
];
