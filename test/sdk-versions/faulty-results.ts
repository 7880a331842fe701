import { expect } from "bun:test";
import { begin, type Case, ended, type Setting } from "./case.ts";

/** Results that do not arrive. */
export const FAULTY_RESULTS: readonly Case[] = [
  {
    name: "result that cannot be encoded",
    tokens: ["own", "shared"],
    // Longer than a ping interval: a ping lists the job.
    run: (setting) => cannotBeEncoded(setting, 5),
  },
  {
    name: "the same, before the first ping",
    tokens: ["own", "shared"],
    run: (setting) => cannotBeEncoded(setting, 0),
  },
];

/**
 * A lone surrogate has no UTF-8. Some versions report the failure; others never send a result and ask for
 * the next job, which is the same one again until the third loss.
 */
async function cannotBeEncoded(setting: Setting, seconds: number): Promise<string> {
  const { server } = setting.world;
  const { endpoint, worker, id } = await begin(setting, {
    client: server,
    form: "sync",
    input: { seconds, cannotBeEncoded: true },
  });
  const record = await ended(server, endpoint, id);
  expect(record.status).toBe("FAILED");
  const executions = worker.executions(id);
  worker.kill();
  if (executions === 1) {
    expect(record.error).toContain("UnicodeEncodeError");
    return "failed at once";
  }
  expect(executions).toBe(3);
  expect(record.error).toContain("no longer had the job");
  return "failed after 3 losses";
}
