import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { JobProcess } from "../../src/cli/worker/exec/job-process.ts";
import { linesOf } from "../../src/cli/worker/read-output.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

const GRACE = 1_000;

/** A shell line as the process of a job. */
function shell(line: string, workingDirectory: string, clock: ManualClock): JobProcess {
  const start = {
    argv: ["/bin/sh", "-c", line] as const,
    workingDirectory,
    environment: { PATH: process.env["PATH"] ?? "" },
    input: "",
    killGrace: GRACE,
    onErrorLine: () => undefined,
  };
  const job = new JobProcess(start, clock);
  job.run();
  return job;
}

test("a reader that is slow gets all that was printed, long after the end of the program", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  await using job = shell("echo; sleep 0.1; head -c 150000 /dev/zero", directory.path, clock);
  let size = 0;
  for await (const piece of job.output()) {
    // What is left fits into the pipe, so that the program ends before it is read.
    if (size === 0) await until("it has ended", () => !existsSync(`/proc/${job.group}`));
    size += piece.byteLength;
    await clock.advance(5 * GRACE);
  }
  await job.succeeded();
  expect(size).toBe(150_001);
});

test("a program that has ended is not waited for when somebody else keeps its output open", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  // A session of its own: the signal to the group does not reach it.
  const daemon = "setsid sh -c 'echo $$; touch ready; exec sleep 60'";
  const line = `${daemon} & until test -e ready; do sleep 0.01; done; echo done`;
  await using job = shell(line, directory.path, clock);
  const lines: string[] = [];
  const read = (async () => {
    for await (const line of linesOf(job.output())) lines.push(line);
  })();
  let isRead = false;
  void read.then(() => (isRead = true));
  await until("all is read", async () => {
    await clock.advance(GRACE);
    return isRead;
  });
  await job.succeeded();
  const [pid, ...others] = lines;
  expect(others).toEqual(["done"]);
  process.kill(Number(pid), "SIGKILL");
});
