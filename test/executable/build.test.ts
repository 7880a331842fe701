import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageRecord from "../../package.json" with { type: "json" };
import { ARM64_LIBRARIES, buildExecutables, QEMU } from "../support/executables.ts";
import { RunningForebay } from "../support/running-forebay.ts";
import { TEST_KEY } from "../support/test-client.ts";

const ROOT = join(import.meta.dir, "../..");
const COMMIT = { BUILT_COMMIT: "0123456789ab" };
const EXECUTABLES = ["forebay-linux-arm64", "forebay-linux-x64"];
/** What a build reads of a clone. */
const SOURCES = [
  "build",
  "console",
  "examples",
  "package-lock.json",
  "package.json",
  "sdk",
  "src",
  "tsconfig.json",
];
const PACKAGES = Object.keys(packageRecord.dependencies).filter((name) => name !== "bun");

describe("npm run build", () => {
  const directory = mkdtempSync(join(tmpdir(), "forebay-build-"));
  let dist = "";
  beforeAll(() => {
    dist = buildExecutables({ env: COMMIT });
  }, 120_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  test("makes an executable for each CPU, below 130 MB, and their checksums", () => {
    expect(readdirSync(dist).toSorted()).toEqual(["SHA256SUMS", ...EXECUTABLES]);
    for (const name of EXECUTABLES) expect(Bun.file(join(dist, name)).size).toBeLessThan(130e6);
    const { status, stdout } = spawnSync("sha256sum", ["--check", "SHA256SUMS"], {
      cwd: dist,
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n").toSorted()).toEqual(EXECUTABLES.map((name) => `${name}: OK`));
    expect(status).toBe(0);
  });

  test("makes the same bytes in another directory", () => {
    const copy = join(directory, "somewhere else");
    for (const name of SOURCES) {
      const filter = (path: string): boolean => !/node_modules|dist$/.test(path);
      cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
    }
    for (const name of PACKAGES) {
      const from = join(ROOT, "node_modules", name);
      cpSync(from, join(copy, "node_modules", name), { recursive: true, verbatimSymlinks: true });
    }
    mkdirSync(join(copy, ".cache"));
    symlinkSync(join(ROOT, ".cache/runtimes"), join(copy, ".cache/runtimes"));
    const again = buildExecutables({ root: copy, platforms: ["linux-x64"], env: COMMIT });
    expect(sumsIn(dist)).toContain(sumsIn(again));
  }, 120_000);

  test("names its version and commit", () => {
    const { stdout } = spawnSync(join(dist, "forebay-linux-x64"), ["--version"], { encoding: "utf8" });
    expect(stdout).toBe(`${packageRecord.version} (${COMMIT.BUILT_COMMIT})\n`);
  });

  test("refuses a platform that it does not know", () => {
    const { status, stderr } = spawnSync(process.execPath, ["build/executables.ts", "linux-vax"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(stderr).toContain("There is no platform linux-vax. Choose among linux-x64, linux-arm64, ");
    expect(status).toBe(2);
    expect(readdirSync(dist)).toContain("SHA256SUMS");
  });

  test("for arm64 makes one that serves a job, in an emulator", async () => {
    const program = join(dist, "forebay-linux-arm64");
    // EM_AARCH64 in the header of an ELF file.
    expect(readFileSync(program).readUInt16LE(18)).toBe(183);
    const emulated = [QEMU, "-L", ARM64_LIBRARIES, program];
    const commands = join(directory, "commands.json");
    writeFileSync(commands, JSON.stringify({ hello: [...emulated, "worker:hello"] }));
    const [emulator, ...words] = [...emulated, "serve", "--port", "0", "--data", join(directory, "data")];
    const env = { ...process.env, FOREBAY_ADMIN_KEY: TEST_KEY };
    const child = spawn(emulator, [...words, "--commands", commands], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    await using forebay = new RunningForebay(child);
    await forebay.ready();
    const { json } = await forebay.post("/v2/hello/runsync?wait=60000", { input: { name: "arm64" } });
    expect(json).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, arm64!" } });
    expect(await forebay.stop()).toBe(0);
  }, 90_000);
});

function sumsIn(dist: string): string {
  return readFileSync(join(dist, "SHA256SUMS"), "utf8");
}
