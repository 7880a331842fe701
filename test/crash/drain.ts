import { forget } from "../model/forget.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { stepsOf } from "../model/steps.ts";

/**
 * What must be possible when the crashes are over: every waiting job is handed out, every running one is
 * ended, and with their retention all of them go. The answer is the ids that were handed out.
 */
export async function drain(directory: string, endpoint: string, now: number): Promise<string[]> {
  const store = await openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
  const steps = stepsOf(endpoint);
  const [taken] = await store.apply([steps.take("drain", { count: 1_000_000 })], now);
  const running = await store.due(Number.MAX_SAFE_INTEGER, 1_000_000);
  const ends = running.map((job) => steps.finish("timeOut", job.id));
  await store.apply([...ends, forget()], 2 * now);
  await store.apply([forget()], 3 * now);
  await store.close();
  return taken.map((job) => job.id);
}
