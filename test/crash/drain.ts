import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { forget } from "../model/forget.ts";
import { stepsOf } from "../model/steps.ts";
import { withoutPayloads } from "./gist.ts";
import type { Call } from "./history.ts";

/**
 * What must be possible when the crashes are over: every waiting job is handed out, and every running one is
 * cancelled. The answer is the two calls.
 */
export async function drain(
  directory: string,
  endpoint: string,
  { now, call }: { readonly now: number; readonly call: number },
): Promise<[take: Call, cancel: Call]> {
  const store = await opened(directory);
  const steps = stepsOf(endpoint);
  const take = [steps.take("drain", { count: 1_000_000 })];
  const taken = await store.apply(take, now);
  const running = await store.due(Number.MAX_SAFE_INTEGER, 1_000_000);
  const cancel = running.map(({ id }) => steps.cancel(id));
  const cancelled = await store.apply(cancel, now);
  await store.close();
  const outcome = (answers: readonly unknown[]) =>
    ({ kind: "ok", answers: answers.map(withoutPayloads) }) as const;
  return [
    { call, now, steps: take, from: 1, to: 2, outcome: outcome(taken) },
    { call: call + 1, now, steps: cancel, from: 3, to: 4, outcome: outcome(cancelled) },
  ];
}

/** With the end of its retention every job goes. */
export async function forgetAll(directory: string, now: number): Promise<void> {
  const store = await opened(directory);
  await store.apply([forget()], now);
  await store.close();
}

function opened(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
}
