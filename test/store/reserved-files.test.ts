import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReservedFiles, reservedFiles } from "../../src/store/reserved-files.ts";

let directory: string;
let files: ReservedFiles;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "forebay-reserved-"));
  files = reservedFiles();
});
afterEach(() => {
  files.close();
  rmSync(directory, { recursive: true });
});

test("a hundred files are written and read at the same time", async () => {
  const names = Array.from({ length: 100 }, (_, number) => join(directory, `file-${number}`));
  await Promise.all(
    names.map((name) => files.create(name, [Buffer.from(name.slice(0, 5)), Buffer.from(name.slice(5))])),
  );
  await files.syncDirectory(directory);
  const read = await Promise.all(names.map((name) => files.read(name)));
  expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(names);
});

test("a file that is not there, or there already, says so, and others go on", async () => {
  const name = join(directory, "file");
  await Promise.all(
    Array.from({ length: 40 }, () => expect(files.read(name)).rejects.toMatchObject({ code: "ENOENT" })),
  );
  await files.create(name, [Buffer.from("first")]);
  await expect(files.create(name, [Buffer.from("second")])).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(name, "utf8")).toBe("first");
});

/** Uses up all descriptors, before or after the reserve was made, and says what then becomes of a file. */
const PROGRAM = `
import { openSync } from "node:fs";
import { payloadDirectory } from ${JSON.stringify(join(import.meta.dir, "../../src/store/payload-files.ts"))};
const files = await payloadDirectory(process.argv[1]);
if (process.argv[2] === "closed") files.close();
if (process.argv[2] === "raced") {
  const thief = "import { closeSync, openSync } from 'node:fs'; postMessage(''); " +
    "for (;;) try { closeSync(openSync('/dev/null')); } catch {}";
  const worker = new Worker("data:text/javascript," + encodeURIComponent(thief));
  await new Promise((resolve) => { worker.onmessage = resolve; });
}
const useUp = () => { try { for (;;) openSync("/dev/null"); } catch (error) { return error.code; } };
console.log(useUp());
const write = async (name) => {
  await files.write(name, Buffer.from("x"));
  return (await files.read(name, 1)).length;
};
for (const round of process.argv[2] === "closed" ? [1] : [1, 2, 3]) {
  const ended = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => write(round + "-" + n)));
  console.log([...new Set(ended.map(({ reason, value }) => reason?.code ?? value))].join());
  await files.remove(round + "-0");
}
process.exit(0);
`;

function withoutDescriptors(reserve: "held" | "raced" | "closed"): string[] {
  const program = [process.execPath, "-e", PROGRAM, join(directory, reserve), reserve];
  const { stdout } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...program], {
    encoding: "utf8",
  });
  return stdout.trim().split("\n");
}

test("without any other descriptor files are written, read and removed from the reserve", () => {
  expect(withoutDescriptors("held")).toEqual(["EMFILE", "1", "1", "1"]);
});

test("another thread that opens files at the same time does not take the reserve away", () => {
  expect(withoutDescriptors("raced")).toEqual(["EMFILE", "1", "1", "1"]);
});

// It tries again for a second, longer on a busy machine.
test("without a reserve the error is OVERLOADED", () => {
  expect(withoutDescriptors("closed")).toEqual(["EMFILE", "OVERLOADED"]);
}, 30_000);
