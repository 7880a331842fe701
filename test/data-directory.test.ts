import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyRefusal, openDataDirectory } from "../src/data/data-directory.ts";
import { rejection } from "./support/rejection.ts";
import { SmallDisk } from "./support/small-disk.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";
import { until } from "./support/until.ts";

describe("the right to serve a data directory", () => {
  test("P22: is that of one server: a second one is refused with a sentence that helps", async () => {
    await using root = await temporaryDirectory();
    const data = join(root.path, "data");
    const first = await open(data);
    expect(await rejection(open(data))).toContain(
      `another Forebay server is using the data directory ${data}. ` +
        "Stop it first, or give this one a directory of its own with --data.",
    );
    expect(openInAnotherProcess(data)).toContain("another Forebay server is using the data directory");
    first.release();
    expect(openInAnotherProcess(data)).toBe("opened");
    (await open(data)).release();
  });

  test("is the same after each start, reboot and move of a volume", async () => {
    await using root = await temporaryDirectory();
    const data = join(root.path, "data");
    const server = await served(data);
    const identity = JSON.parse(await readFile(join(data, "identity"), "utf8"));
    const { ino, birthtimeNs } = await stat(data, { bigint: true });
    const place = { inode: String(ino), bornAt: String(birthtimeNs) };
    expect(identity).toEqual({ server, ...place, store: "directory" });
    expect(await served(data)).toBe(server);
  });

  test("goes with the directory when it is moved, given another mode, and written to", async () => {
    await using root = await temporaryDirectory();
    const [data, moved] = [join(root.path, "data"), join(root.path, "moved")];
    const server = await served(data);
    await rename(data, moved);
    await chmod(moved, 0o755);
    await writeFile(join(moved, "more"), "");
    await utimes(moved, 1, 1);
    expect(await served(moved)).toBe(server);
  });

  test("is not that of a copy, unless that is adopted under another name", async () => {
    await using root = await temporaryDirectory();
    const [data, copy] = [join(root.path, "data"), join(root.path, "copy")];
    const server = await served(data);
    expect(spawnSync("cp", ["-a", data, copy]).status).toBe(0);
    expect(await copyRefusal(data)).toBeUndefined();
    const refusal = (await copyRefusal(copy)) ?? "";
    expect(refusal).toStartWith(`${copy} is a copy of another data directory`);
    expect(await rejection(open(copy))).toBe(refusal);
    const adopted = await served(copy, true);
    expect(adopted).not.toBe(server);
    expect(await served(copy)).toBe(adopted);
    expect(await served(data)).toBe(server);
  });

  test.skipIf(SmallDisk.whyNot !== undefined)(
    "goes with a volume that is mounted elsewhere, and not to a copy on another volume",
    async () => {
      using volume = new SmallDisk();
      // The clock of the kernel moves every few milliseconds: within one both would have the same age.
      const { birthtimeMs } = await stat(volume.path);
      await until("the clock of the kernel has moved on", () => Date.now() > birthtimeMs + 20);
      using other = new SmallDisk();
      await using elsewhere = await temporaryDirectory();
      const server = await served(volume.path);
      expect(spawnSync("cp", ["-a", `${volume.path}/.`, other.path]).status).toBe(0);
      // The roots of both volumes have the same inode number.
      expect((await stat(other.path)).ino).toBe((await stat(volume.path)).ino);
      expect(await rejection(open(other.path))).toContain(`${other.path} is a copy`);
      expect(spawnSync("mount", ["--bind", volume.path, elsewhere.path]).status).toBe(0);
      try {
        expect(await served(elsewhere.path)).toBe(server);
      } finally {
        expect(spawnSync("umount", [elsewhere.path]).status).toBe(0);
      }
    },
  );

  test("follows the inode alone if the file system has no time of creation", async () => {
    await using root = await temporaryDirectory();
    const data = join(root.path, "data");
    const server = await served(data);
    const path = join(data, "identity");
    const identity = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...identity, bornAt: "0" }));
    expect(await served(data)).toBe(server);
    await writeFile(path, JSON.stringify({ ...identity, bornAt: "0", inode: "1" }));
    expect(await rejection(open(data))).toContain("is a copy");
  });

  test("of a copy is still refused when its adoption was cut short", async () => {
    await using root = await temporaryDirectory();
    const [data, copy] = [join(root.path, "data"), join(root.path, "copy")];
    await served(data);
    expect(spawnSync("cp", ["-a", data, copy]).status).toBe(0);
    (await open(copy, true)).release();
    expect(await rejection(open(copy))).toContain("is a copy");
  });

  test("counts as used only when the first start has opened its store", async () => {
    await using root = await temporaryDirectory();
    const data = join(root.path, "data");
    const begun = await open(data);
    begun.release();
    const again = await open(data);
    expect([begun.hasServed, again.hasServed, again.server]).toEqual([false, false, begun.server]);
    await again.confirm();
    again.release();
    const third = await open(data);
    third.release();
    expect(third.hasServed).toBe(true);
  });

  test("knows a directory of version 0.1 by its server id", async () => {
    await using root = await temporaryDirectory();
    await mkdir(join(root.path, "data"));
    await writeFile(join(root.path, "data/server-id"), "a-server\n");
    const data = await open(join(root.path, "data"));
    expect([data.server, data.hasServed]).toEqual(["a-server", true]);
    await data.confirm();
    data.release();
    expect((await readdir(join(root.path, "data"))).toSorted()).toEqual(["identity", "lock.db"]);
    expect(await served(join(root.path, "data"))).toBe("a-server");
  });

  test("is refused if it cannot be found out", async () => {
    await using root = await temporaryDirectory();
    const data = join(root.path, "data");
    await served(data);
    await writeFile(join(data, "identity"), "{");
    expect(await rejection(open(data))).toBe(
      `${join(data, "identity")} is damaged. Put the file back from a backup of the directory.`,
    );
  });
});

const open = (data: string, adoptData = false) => openDataDirectory({ data, databaseUrl: "", adoptData });

/** The name of the server that a start and a stop on the directory have. */
async function served(data: string, adoptData = false): Promise<string> {
  const { server, confirm, release } = await open(data, adoptData);
  await confirm();
  release();
  return server;
}

/** What came of opening the directory in a process of its own. */
function openInAnotherProcess(data: string): string {
  const module = import.meta.resolve("../src/data/data-directory.ts");
  const script = `
    const { openDataDirectory } = await import(${JSON.stringify(module)});
    const config = ${JSON.stringify({ data, databaseUrl: "", adoptData: false })};
    try {
      (await openDataDirectory(config)).release();
      process.stdout.write("opened");
    } catch (error) {
      process.stdout.write(error.message);
    }`;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout;
}
