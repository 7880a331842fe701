import type { Member } from "../member.ts";

const GROUP = "src/store/sqlite/sqlite-group-commit.ts";
const TRACKED = "src/store/sqlite/sqlite-tracked-jobs.ts";
const CONTRACT = "test/contract/sqlite.test.ts";

/** What the store promises of commits, files and its directory. */
export const MEMBERS: readonly Member[] = [
  {
    name: "answer before the commit",
    breaks: "No call is answered before its steps are durable",
    file: GROUP,
    replace: `    onCommit?.("begin");
    commit.run();`,
    by: `    onCommit?.("begin");
    calls.forEach((call, index) => call.resolve(answers[index] ?? []));
    commit.run();`,
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-disk-faults.test.ts"], test: "P21" },
  },
  {
    name: "one fault fails all",
    breaks: "A step that fails is undone alone",
    file: GROUP,
    replace: "calls.length === 1 ? failure : transactions.commit([call]);",
    by: "failure;",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "counters of undone steps",
    breaks: "Steps that were undone leave no counters",
    file: GROUP,
    replace: `    counters.rolledBack();
`,
    by: `
`,
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "jobs of undone steps",
    breaks: "Steps that were undone leave no jobs",
    file: GROUP,
    replace: "    jobs.rolledBack();\n",
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "cached job of an undone result",
    breaks: "A result that was undone can be sent again",
    file: TRACKED,
    replace: "  rolledBack(): void {\n    this.forget();\n",
    by: "  rolledBack(): void {\n    for (const job of this.#inHand.splice(0)) job.isInHand = false;\n",
    caughtBy: { suite: "store", files: [CONTRACT], test: "a result that was undone" },
  },
  {
    name: "cached jobs that were purged",
    breaks: "A job that was purged is not handed out",
    file: "src/store/sqlite/sqlite-run-step.ts",
    replace: 'step.step === "purge" || ',
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "cached job with an old webhook",
    breaks: "After a rotation of keys the webhook of a running job is sealed with the new key",
    file: "src/store/sqlite/sqlite-run-step.ts",
    replace: ' || step.step === "reseal"',
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT], test: "sealed values" },
  },
  {
    name: "cached job without compare-and-set",
    breaks: "A job is changed only if it is in the state and attempt that the step has seen",
    file: "src/store/sqlite/sqlite-write-jobs.ts",
    replace: "    if (changes !== 1) {",
    by: "    if (changes < 0) {",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-tracked-jobs.test.ts"] },
  },
  {
    name: "job that breaks a promise",
    breaks: "A job that breaks a promise is not written",
    file: "src/store/sqlite/sqlite-write-jobs.ts",
    replace: "    checkJob(job.row);\n",
    by: "    if (job.seq < 0) checkJob(job.row);\n",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "job handed out twice in one commit",
    breaks: "Two takes of one commit never get the same job",
    file: TRACKED,
    replace: '      if (holder === "") waiting.splice(waiting.indexOf(tracked), 1);\n',
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "job in hand read again",
    breaks: "A step sees what the steps before it have changed",
    file: TRACKED,
    replace: "    if (found !== undefined) return this.#hold(found);\n    const { seq",
    by: "    const { seq",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "jobs not written before a purge",
    breaks: "A step that finds its rows itself sees what the steps before it have changed",
    file: "src/store/sqlite/sqlite-run-step.ts",
    replace: "    jobs.release();\n",
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "hand-out without asking the database",
    breaks: "A job that waits in the database is handed out",
    file: TRACKED,
    replace: "if (queued <= own.waiting.length) own.reached = ALL;",
    by: "if (own.waiting.length > 0) own.reached = ALL;",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-tracked-jobs.test.ts"] },
  },
  {
    name: "signals of undone steps",
    breaks: "Steps that were undone wake nobody",
    file: GROUP,
    replace: `    payloads.takeDropped();
    takeSignals();`,
    by: "    payloads.takeDropped();",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "files of undone steps",
    breaks: "Steps that were undone delete no file",
    file: GROUP,
    replace: `    payloads.takeDropped();
    takeSignals();`,
    by: "    takeSignals();",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "deletes no payload" },
  },
  {
    name: "acknowledged after a fault",
    breaks: "After an I/O error nothing is acknowledged",
    file: GROUP,
    replace: "if (this.#fatal !== undefined) return this.#fatal;",
    by: "if (this.#fatal !== undefined) this.#fatal = undefined;",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-disk-faults.test.ts"] },
  },
  {
    name: "synchronous=NORMAL",
    breaks: "What is acknowledged survives a power cut",
    file: "src/store/sqlite/sqlite-driver.ts",
    replace: '["synchronous", "full", 2]',
    by: '["synchronous", "normal", 1]',
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-driver.test.ts"] },
  },
  {
    name: "file named before it is durable",
    breaks: "The name of a payload file is durable before a row has it",
    file: "src/store/payload-files.ts",
    replace: `        await files.syncDirectory(path);
`,
    by: "",
    caughtBy: { suite: "store", files: ["test/store/payload-files.test.ts"] },
  },
  {
    name: "file deleted with its first row",
    breaks: "A payload file stays while another row names it",
    file: "src/store/sqlite/sqlite-payloads.ts",
    replace: '"DELETE FROM payload WHERE ref = ?1 AND names = 1 RETURNING file"',
    by: '"DELETE FROM payload WHERE ref = ?1 AND names > 0 RETURNING file"',
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
  {
    name: "files outlive their jobs",
    breaks: "The files of a job go with it",
    file: "src/store/sqlite/sqlite-remove-job.ts",
    replace: "Object.values(selectContents.get(seq) ?? {})",
    by: "[selectContents.get(seq)?.progress ?? null]",
    caughtBy: {
      suite: "store",
      files: ["test/store/sqlite/sqlite-store.test.ts"],
      test: "4a: a job that goes",
    },
  },
  {
    name: "files deleted during a backup",
    breaks: "A backup has all files that its database names",
    file: "src/store/sqlite/sqlite-removals.ts",
    replace: "if (holds > 0) held.push(name);",
    by: "if (holds > 1) held.push(name);",
    caughtBy: { suite: "backup", files: ["test/backup/backup.test.ts"], test: "keeps payload files" },
  },
  {
    name: "damaged bytes are served",
    breaks: "Bytes that changed on the disk are not served as a payload",
    file: "src/store/digested.ts",
    replace: "stored.length >= HEAD_BYTES && digestIn(stored) === digestOf(bytes)",
    by: "stored.length >= HEAD_BYTES",
    caughtBy: { suite: "store", files: ["test/store/digested.test.ts"] },
  },
  {
    name: "lost database",
    breaks: "Files whose database is lost are not deleted as orphans",
    file: "src/store/sqlite/sqlite-lost.ts",
    replace: "const hasTraces = hasServed || wasRunning || wasStopped || payloads > 0;",
    by: "const hasTraces = hasServed || wasRunning || wasStopped;",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-store.test.ts"], test: "was lost" },
  },
  {
    name: "orphans stay",
    breaks: "Files that no row names go at the next start",
    file: "src/store/sqlite/sqlite-large-payloads.ts",
    replace: "if (!named.has(name)) await files.remove(name);",
    by: "if (named.size < 0) await files.remove(name);",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-store.test.ts"], test: "invariant 5" },
  },
  {
    name: "newer data",
    breaks: "Data of a newer version is refused and left alone",
    file: "src/store/sqlite/sqlite-schema.ts",
    replace: "if (found > MIGRATIONS.length) throw newerDataError(found, requiredVersion(database));",
    by: "if (found > 1_000) throw newerDataError(found, requiredVersion(database));",
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-store.test.ts"] },
  },
  {
    name: "migration runs twice",
    breaks: "A migration runs once",
    file: "src/store/sqlite/sqlite-schema.ts",
    replace: `        database.run(\`PRAGMA user_version = \${number}\`);
      })
      .immediate();`,
    by: `      })
      .immediate();
    database.run(\`PRAGMA user_version = \${number - 1}\`);`,
    caughtBy: { suite: "store", files: ["test/store/sqlite/sqlite-store.test.ts"] },
  },
  {
    name: "copy is served",
    breaks: "A copied data directory is not served unasked",
    file: "src/data/data-directory.ts",
    replace: "if (isCopy && !adoptData) throw",
    by: "if (isCopy && adoptData) throw",
    caughtBy: { suite: "unit", files: ["test/data-directory.test.ts"] },
  },
  {
    name: "inode alone",
    breaks: "A copy with the same inode number is told by its time",
    file: "src/data/data-directory.ts",
    replace: "return one.bornAt === other.bornAt ||",
    by: "return one.bornAt.length > 0 ||",
    caughtBy: { suite: "unit", files: ["test/data-directory.test.ts"] },
  },
  {
    name: "moved data",
    breaks: "Data that was moved to PostgreSQL is not served from here too",
    file: "src/store/sqlite/sqlite-open.ts",
    replace: "if (!existsSync(mark)) return;",
    by: "if (existsSync(mark)) return;",
    caughtBy: {
      suite: "postgres",
      files: ["test/postgres/migrate-store.test.ts"],
      test: "go on in PostgreSQL",
    },
  },
];
