import { expect } from "bun:test";
import { begin, type Case, ended, type Setting } from "./case.ts";

/** Results that do not arrive. */
export const FAULTY_RESULTS: readonly Case[] = [
  { name: "result that cannot be encoded", tokens: ["own", "shared"], run: cannotBeEncoded },
];

/**
 * A lone surrogate has no UTF-8. Some versions report the failure; others never send a result and ask for
 * the next job, which is the same one again until the third loss.
 */
async function cannotBeEncoded(setting: Setting): Promise<string> {
  const { server } = setting.world;
  const { endpoint, worker, id } = await begin(setting, {
    client: server,
    form: "sync",
    // Longer than a ping interval, so that a ping lists the job.
    input: { seconds: 5, cannotBeEncoded: true },
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
