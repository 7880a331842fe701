import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { jobId } from "../../../src/domain/ids.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { bytes } from "../../model/bytes.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { stepsOf } from "../../model/steps.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("./forgetting-process.ts"));

/** Commits at which the process is killed, before and after each. */
const COMMITS = [1, 2, 5, 6, 9];

test("decision 0040: a kill at any commit leaves each job in the queue or in the history", async () => {
  await using directory = await temporaryDirectory();
  const ids = await fill(directory.path);

  let left = ids.length;
  for (const commit of COMMITS) {
    for (const mark of ["begin", "end"]) {
      const child = Bun.spawn([process.execPath, PROGRAM, directory.path, String(commit), mark]);
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      left = await checked(directory.path, ids);
    }
  }
  expect(left).toBeLessThan(ids.length);
  expect(left).toBeGreaterThan(0);
}, 60_000);

/** Finished jobs: completed, failed with an error, and failed with a large input. */
async function fill(directory: string): Promise<string[]> {
  const store = await open(directory);
  const steps = stepsOf("e");
  await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
  const ids = Array.from({ length: 90 }, (_, at) => jobId("run", at + 1, new Uint8Array(8).fill(at)));
  for (const [at, id] of ids.entries()) {
    const body = await store.writePayload(bytes(`{"input":"${"x".repeat(at % 5 === 0 ? 70_000 : 10)}"}`));
    const end =
      at % 2 === 0
        ? steps.finish("fail", id, { worker: "w", error: bytes('"no"') })
        : steps.finish("complete", id, { worker: "w" });
    await store.apply([steps.enqueue(id, at + 1, { body }), steps.take("w"), end], 1);
  }
  await store.close();
  return ids;
}

/** Checks the data that a killed process has left. Answers how many jobs it has not forgotten. */
async function checked(directory: string, ids: readonly string[]): Promise<number> {
  const store = await open(directory);
  const gone: string[] = [];
  for (const [at, id] of ids.entries()) {
    const job = await store.job("e", id);
    if (job !== undefined) continue;
    gone.push(id);
    const past = await store.pastJob("e", id);
    const failed = { state: "FAILED", error: "no", keepsInput: true };
    expect(past).toMatchObject(at % 2 === 0 ? failed : { state: "COMPLETED", keepsInput: false });
    const input = await store.pastInput("e", id);
    if (input !== undefined) expect(await store.readPayload(input)).toHaveLength(past?.inputBytes ?? -1);
  }
  await store.close();
  using database = new Database(join(directory, "forebay.db"), { readonly: true });
  const wrong = "SELECT bytes FROM history_size WHERE bytes <> (SELECT total(size) FROM history)";
  expect(database.query(wrong).all()).toEqual([]);
  return ids.length - gone.length;
}

function open(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
}
