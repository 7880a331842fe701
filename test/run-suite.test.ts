import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { runSuite } from "./support/run-suite.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";
import { processesIn } from "./support/processes.ts";

/** It does not wait for what it starts, and gives it neither its output nor its group. */
const LEAVES = 'setsid "$@" </dev/null >/dev/null 2>&1 &';

test("a suite fails with a line for each process that it leaves running, which is ended", async () => {
  await using place = await temporaryDirectory();
  const commands = [
    // Known by its variable.
    ["sh", "-c", `cd "${place.path}" && ${LEAVES}`, "sh", "sleep", "1234"],
    // Known by its directory alone.
    ["sh", "-c", `mkdir "$TMPDIR/own" && cd "$TMPDIR/own" && ${LEAVES}`, "sh", "env", "-i", "sleep", "1234"],
    // It holds the output open as well.
    ["sh", "-c", `cd "${place.path}" && sleep 1234 &`],
  ];
  const outcomes = commands.map((command) => runSuite({ name: "leaves", command, isQuick: false }));
  for (const { failed, failures } of await Promise.all(outcomes)) {
    expect(failed).toBe(1);
    expect(failures).toEqual([expect.stringMatching(/^process \d+ was left running: sleep 1234$/)]);
  }
  expect(processesIn(place.path)).toEqual([]);
}, 30_000);

test.skipIf(process.getuid?.() !== 0)(
  "a suite that leaves something mounted fails, and the run goes on",
  async () => {
    const mount = 'mkdir "$TMPDIR/disk" && mount -t tmpfs none "$TMPDIR/disk"';
    const outcome = await runSuite({ name: "mounts", command: ["sh", "-c", mount], isQuick: false });
    expect(outcome.failures).toEqual([expect.stringMatching(/\/disk was left mounted$/)]);
    expect(existsSync(outcome.failures[0]?.split(" ")[0] ?? "")).toBe(false);
  },
  30_000,
);

test("a suite that ends all it started does not fail", async () => {
  const command = ["sh", "-c", "sleep 0.1 & wait"];
  expect(await runSuite({ name: "ends", command, isQuick: false })).toMatchObject({ passed: 1, failed: 0 });
});

test.each([
  [1, "\n--- tells ---\n(fail) the other\n 1 pass\n 1 fail\n"],
  [0, ""],
])("of a suite with %i failed tests a run of all suites shows what did not pass", (failed, shown) => {
  const lines = ["(pass) the one", ...(failed > 0 ? ["(fail) the other"] : []), " 1 pass", ` ${failed} fail`];
  const command = ["sh", "-c", `printf '%s\\n' "$@"; exit ${failed}`, "sh", ...lines];
  const suite = JSON.stringify({ name: "tells", command, isQuick: false });
  const program = `
    import { runSuite } from "./test/support/run-suite.ts";
    await runSuite(${suite}, "failures");`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { stderr: "inherit" });
  expect(stdout.toString()).toBe(shown);
});
