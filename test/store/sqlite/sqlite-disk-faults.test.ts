import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { stepsOf } from "../../model/steps.ts";
import { rejection } from "../../support/rejection.ts";
import { SmallDisk } from "../../support/small-disk.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import type { FullFileReport } from "./full-file-process.ts";

const LARGE = new Uint8Array(100_000);

describe("a disk that fails", () => {
  test.skipIf(SmallDisk.whyNot !== undefined)(
    "invariant 5: a payload of a step that found no room gives its own room back",
    async () => {
      using disk = new SmallDisk();
      const directory = join(disk.path, "data");
      const store = await open(directory);
      const steps = stepsOf("e");
      await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
      const [body, secret, output, chunk, value] = await Promise.all(
        [1, 2, 3, 4, 5].map(() => store.writePayload(LARGE)),
      );
      if (!body || !secret || !output || !chunk || !value) throw new Error("five payloads were written");
      disk.fill();
      const refusal = store.apply(
        [
          steps.enqueue("a", 1, { body, secret }),
          steps.take("worker"),
          steps.progress("a", "worker", value),
          steps.append("a", "worker", [chunk]),
          steps.finish("complete", "a", { output }),
        ],
        1,
      );
      expect(await rejection(refusal)).toContain("disk is full");
      expect(await readdir(join(directory, "payloads"))).toEqual([]);
      disk.clear();
      await store.close();
    },
  );

  test("P21: after an I/O error nothing is acknowledged, and all that was is there", async () => {
    await using directory = await temporaryDirectory();
    // 512 or 1,024 bytes a block, as the shell has it: room for some of the jobs either way, never for all.
    const limited = ["sh", "-c", `trap "" XFSZ; ulimit -f 2000; exec "$@"`, "sh", process.execPath];
    const child = Bun.spawn([
      ...limited,
      fileURLToPath(import.meta.resolve("./full-file-process.ts")),
      directory.path,
    ]);
    const report = (await new Response(child.stdout).json()) as FullFileReport;

    expect(report.faults).toBe(1);
    expect(report.acknowledgedAfterFault).toEqual([]);
    expect(report.acknowledged.length).toBeGreaterThan(0);
    const store = await open(directory.path);
    for (const id of report.acknowledged) expect((await store.job("e", id))?.state).toBe("IN_QUEUE");
    await store.close();
  });
});

function open(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal: (error) => {
      throw error;
    },
  });
}
