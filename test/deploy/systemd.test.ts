import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");

/** The worst exposure that `systemd-analyze security` may find, in tenths: below 20 it says OK. */
const WORST_EXPOSURE = 20;

function analyze(...args: string[]): { status: number | null; said: string } {
  const env = { ...process.env, SYSTEMD_COLORS: "false", SYSTEMD_PAGER: "" };
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8", env });
  return { status, said: stdout + stderr };
}

/** A root with the unit and a program where the unit names it. */
async function installed(unit: string, as = unit): Promise<{ readonly path: string } & AsyncDisposable> {
  const root = await temporaryDirectory();
  const units = join(root.path, "etc/systemd/system");
  const programs = join(root.path, "usr/local/bin");
  for (const directory of [units, programs]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(programs, "forebay"), "#!/bin/sh\n");
  chmodSync(join(programs, "forebay"), 0o755);
  writeFileSync(join(units, as), readFileSync(join(DEPLOY, unit)));
  return root;
}

test.each([
  ["forebay.service", "forebay.service"],
  ["forebay@.service", "forebay@8001.service"],
])("systemd-analyze verify has nothing to say about deploy/%s", async (unit, as) => {
  await using root = await installed(unit, as);
  // Of the machine it takes the units that ours names; the program is where the test has put it.
  const path = join(root.path, "etc/systemd/system", as);
  const text = readFileSync(path, "utf8");
  expect(text).toContain("ExecStart=/usr/local/bin/forebay ");
  writeFileSync(path, text.replaceAll("/usr/local/bin", join(root.path, "usr/local/bin")));
  expect(analyze("verify", "--man=no", path)).toEqual({ status: 0, said: "" });
});

test.each(["forebay.service", "forebay@.service"])(
  "systemd-analyze security calls deploy/%s safe",
  (unit) => {
    const threshold = `--threshold=${WORST_EXPOSURE}`;
    const { status, said } = analyze("security", "--offline=true", threshold, join(DEPLOY, unit));
    expect([status, said]).toEqual([0, expect.stringContaining("Overall exposure level")]);
  },
);

test("the two units differ only in the port, the directory and the settings that servers share", () => {
  const settings = (unit: string): string[] =>
    readFileSync(join(DEPLOY, unit), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  const [one, many] = [settings("forebay.service"), settings("forebay@.service")];
  expect(many.filter((line) => !one.includes(line))).toEqual([
    "Description=Forebay on port %i",
    "EnvironmentFile=/etc/forebay/forebay.env",
    "Environment=FOREBAY_PORT=%i FOREBAY_DATA=/var/lib/forebay/%i",
  ]);
  expect(one.filter((line) => !many.includes(line))).toHaveLength(3);
});
