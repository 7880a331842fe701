import { afterEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

test("a server marks the begin and the end of each commit on the pipe that it is given", async () => {
  let marks = "";
  server = await ServerProcess.start({ onMarks: (more) => (marks += more) });
  await server.run(await server.endpoint());
  await server.terminate();
  expect(marks).toMatch(/^o(be){3,}$/);
});

test("a descriptor that takes no marks stops the start, with a sentence, and is not written to", () => {
  const directory = mkdtempSync(join(tmpdir(), "forebay-marks-"));
  const path = join(directory, "file");
  const file = openSync(path, "w");
  try {
    const serve = [MAIN, "serve", "--port", "0", "--data", join(directory, "data"), "--commit-marks-fd", "3"];
    const { status, stderr } = spawnSync(process.execPath, serve, {
      stdio: ["ignore", "pipe", "pipe", file],
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toStartWith(
      "forebay serve: --commit-marks-fd: descriptor 3 cannot be written to: it is not a pipe",
    );
    expect(readFileSync(path, "utf8")).toBe("");
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true });
  }
});
