import { describe, expect, spyOn, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { ForebayError } from "../../src/domain/errors.ts";
import { startForebay } from "../../src/main.ts";
import { MemoryLog } from "../support/memory-log.ts";

describe("what a server still does while it stops", () => {
  const config = loadConfig({ port: "0", data: ":memory:", demo: "false" }, {});

  /** What the log tells of a stop during which the store throws this. */
  async function stopWith(thrown: Error): Promise<{ what: unknown; error: unknown }[]> {
    const log = new MemoryLog();
    const forebay = await startForebay(config, log);
    using _ = spyOn(forebay.engine.store, "apply").mockRejectedValue(thrown);
    await forebay.stop();
    return log.errors
      .filter(({ message }) => message === "the server could not stop in order")
      .map(({ fields }) => ({ what: fields?.["what"], error: fields?.["error"] }));
  }

  test("is left to the next start where the store refuses it, and the log is quiet", async () => {
    for (const code of ["STORAGE_FULL", "STORAGE_UNAVAILABLE"] as const) {
      expect(await stopWith(new ForebayError(code, "It is so."))).toEqual([]);
    }
  });

  test("is told with any other fault, and the server stops all the same", async () => {
    const told = await stopWith(new TypeError("a fault of ours"));
    expect(told).toContainEqual({ what: "webhooks", error: "TypeError: a fault of ours" });
  });
});
