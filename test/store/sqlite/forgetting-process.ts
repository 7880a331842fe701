/**
 * A process that forgets finished jobs and records some of them, in small steps, until it kills itself at the
 * commit with the number that its parent has chosen: before it, or after it.
 */
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { forget } from "../../model/forget.ts";

const INPUTS = { all: [], none: [] } as const;

async function run(directory: string, killAt: number, mark: string): Promise<void> {
  let commits = 0;
  const store = await openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
    onCommit(reached) {
      if (reached === "begin") commits++;
      if (commits === killAt && reached === mark) process.kill(process.pid, "SIGKILL");
    },
  });
  const { jobs } = await store.submitted("e", undefined, undefined, 1_000, 1_000);
  const names = jobs.map(({ endpoint, id }) => ({ endpoint, id }));
  for (let from = 0; from < names.length; from += 3) {
    await store.apply([{ step: "recordEnded", jobs: names.slice(from, from + 1), inputs: INPUTS }], 2);
    await store.apply([{ ...forget(3), history: INPUTS }], Number.MAX_SAFE_INTEGER);
  }
  await store.close();
}

const [directory = "", killAt = "", mark = ""] = process.argv.slice(2);
await run(directory, Number(killAt), mark);
