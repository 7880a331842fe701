import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { scrape } from "../support/scrape.ts";
import { ServerProcess } from "../support/server-process.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

const MB = 1_048_576;
const { whyNot } = SmallDisk;

const suffix = whyNot === undefined ? "" : ` (left out: ${whyNot})`;

describe.skipIf(whyNot !== undefined)(`a disk that fills up${suffix}`, () => {
  test("/readyz, /metrics, the log and forebay doctor say so, and that there is room again", async () => {
    using disk = new SmallDisk();
    const data = join(disk.path, "data");
    const server = await ServerProcess.start({ flags: { data } });
    const state = async () => (await server.get("/readyz")).json.disk;
    const becomes = (expected: string) =>
      until(`the disk is ${expected}`, async () => (await state())?.state === expected);
    // The first answer knows it.
    expect(await state()).toMatchObject({ state: "ok", totalBytes: 32 * MB });

    // A tenth of it is the limit, for both.
    disk.fill(2 * MB);
    await becomes("full");
    const { status, json } = await server.get("/readyz");
    expect([status, json.status]).toEqual([200, "ok"]);
    const samples = await scrape(server);
    expect(samples.get("forebay_disk_size_bytes")).toBe(32 * MB);
    expect(samples.get("forebay_disk_free_bytes")).toBeLessThan(samples.get("forebay_disk_low_bytes") ?? 0);
    expect(samples.get("forebay_database_bytes")).toBeGreaterThan(0);
    expect(server.log.filter(({ message }) => message.startsWith("the disk is full"))).toHaveLength(1);
    const doctor = await new ForebayCommand(["doctor", "--data", data]).ended();
    expect(doctor.stdout).toMatch(/fault +data +\d of 32 MB are free/);

    disk.clear();
    await becomes("ok");
    await until("it is said", () => server.logged("the disk has room again").length === 1);
    await server.stop();
  }, 60_000);
});
