import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { FOREBAY } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

/** `forebay serve` whose standard error is a file, which JOURNAL_STREAM names or does not. */
async function served(
  args: readonly string[],
  isNamed: boolean,
): Promise<{ code: number | null; lines: string[] }> {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "stderr");
  const stream = openSync(path, "w");
  const { dev, ino } = fstatSync(stream);
  const env = { ...process.env, JOURNAL_STREAM: isNamed ? `${dev}:${ino}` : "8:1" };
  const data = join(directory.path, "data");
  const all = [FOREBAY, "serve", "--data", data, "--port", String(await freePort()), ...args];
  const child = spawn("node", all, { env, stdio: ["ignore", "ignore", stream] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const lines = (): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);
  await until("it logs", () => lines().length > 0);
  child.kill("SIGTERM");
  return { code: await ended, lines: lines() };
}

test("in the journal each line has its priority, and no second time", async () => {
  const { lines } = await served([], true);
  for (const line of lines) {
    const [, priority = "", json = ""] = /^<([346])>(\{.*\})$/.exec(line) ?? [];
    const { level, time } = JSON.parse(json);
    expect([priority, time]).toEqual([
      { info: "6", warn: "4", error: "3" }[String(level)] ?? "none",
      undefined,
    ]);
  }
});

test("a start that fails has the priority of an error there", async () => {
  const { code, lines } = await served(["--body-budget-mb", "none"], true);
  expect([code, lines]).toEqual([2, [expect.stringMatching(/^<3>forebay serve: .*--body-budget-mb/)]]);
});

test("if the variable names another stream, each line has its time and no priority", async () => {
  const { lines } = await served([], false);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) });
});
