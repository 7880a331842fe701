import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Answer } from "../support/answer.ts";
import { ServerProcess } from "../support/server-process.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

const MB = 1_048_576;
const PROGRAM = [process.execPath, join(import.meta.dir, "../fleet/worker-program.ts")];
const { whyNot } = SmallDisk;

describe.skipIf(whyNot !== undefined)(
  `a full disk${whyNot === undefined ? "" : ` (left out: ${whyNot})`}`,
  () => {
    let disk: SmallDisk;
    let server: ServerProcess;
    beforeEach(async () => {
      disk = new SmallDisk();
      server = await ServerProcess.start({
        commands: { torrent: ["sh", "-c", `yes "$(printf '%0900d' 1)" & exec "$@"`, "sh", ...PROGRAM] },
        flags: { data: join(disk.path, "data") },
      });
    });
    afterEach(async () => {
      try {
        await server.stop();
      } finally {
        disk[Symbol.dispose]();
      }
    });

    /** Background jobs write as well, and log when they cannot. */
    function expectBackgroundJobsToLogIt(): void {
      const [told, other] = [server.logged("a background job failed and will be retried"), server.log];
      for (const { error } of told) expect(error).toContain("The server's disk is full");
      server.log.splice(0, other.length, ...other.filter((line) => !told.includes(line)));
    }

    test.each([
      ["the log of the database", 0],
      // A checkpoint needs as much room again as the log has, and is made when that has 8 MB.
      ["the database, behind its log", 12 * MB],
    ])(
      "no room for %s: STORAGE_FULL, no acknowledged job is lost, and on when there is room",
      async (_what, leaving) => {
        const endpoint = await server.endpoint();
        const worker = await server.worker(endpoint);
        // Whose rows are to go at the next start, which needs room as well.
        for (const name of ["one", "two"]) {
          const { json } = await server.post("/v1/endpoints", { name });
          await server.call("DELETE", `/v1/endpoints/${json.id}`);
        }
        const acknowledged: string[] = [];
        const submit = async (bytes: number): Promise<Answer> => {
          const answer = await server.post(`/v2/${endpoint}/run`, { input: { text: "x".repeat(bytes) } });
          if (answer.status === 200) acknowledged.push(answer.json.id);
          return answer;
        };
        await submit(10);
        disk.fill(leaving);
        const refused = await until("a small submission is refused", async () => {
          const answer = await submit(60_000);
          return answer.status !== 200 && answer;
        });
        for (const answer of [
          refused,
          await submit(200_000),
          await server.post(`/v2/${endpoint}/purge-queue`),
        ]) {
          expect([answer.status, answer.json.code]).toEqual([503, "STORAGE_FULL"]);
          expect(answer.headers.get("retry-after")).toBe("1");
        }
        // What is there can be read, also after a start.
        await server.kill();
        await server.startAgain();
        expect((await server.health(endpoint)).jobs).toMatchObject({
          inQueue: acknowledged.length,
          inProgress: 0,
        });
        for (const id of acknowledged)
          expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });

        disk.clear();
        await submit(10);
        await submit(200_000);
        await server.kill();
        expectBackgroundJobsToLogIt();
        await server.startAgain();
        const taken: string[] = [];
        while (taken.length < acknowledged.length) {
          const { json } = await worker.take(0);
          taken.push(json.id);
          await worker.done(json.id, { output: json.input.text.length });
        }
        expect(taken).toEqual(acknowledged);
        expect((await server.health(endpoint)).jobs).toMatchObject({
          completed: acknowledged.length,
          inQueue: 0,
        });
      },
    );

    test("that workers fill by what they print: logs stop first, jobs go on, it is said once", async () => {
      disk.fill(8 * MB);
      const endpoint = await server.commandEndpoint("torrent", { workersMin: 1, workersMax: 1 });
      const missing = "what workers print is not kept until the disk has room again";
      await until("logs have stopped", () => server.logged(missing).length > 0, 30_000);
      for (let round = 0; round < 3; round++) {
        const record = await server.ended(endpoint, await server.run(endpoint, { sleep: 200 }));
        expect(record.status).toBe("COMPLETED");
      }
      expect(server.logged(missing).length).toBe(1);
      disk.clear();
      await until("logs go on", () => server.logged("what workers print is kept again").length > 0);
    }, 60_000);
  },
);
