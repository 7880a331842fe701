import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startBrowser } from "../support/browser.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { TestServer } from "../support/test-server.ts";
import { openConsole } from "./console-world.ts";

const { whyNot } = SmallDisk;
const suffix = whyNot === undefined ? "" : ` (left out: ${whyNot})`;

describe.skipIf(whyNot !== undefined)(`the disk at the console, in Chromium${suffix}`, () => {
  test("every page warns while the disk is full", async () => {
    using disk = new SmallDisk();
    disk.fill(2_000_000);
    const server = await TestServer.start({ flags: { data: join(disk.path, "data") } });
    const browser = await startBrowser();
    try {
      const { page, context, faults } = await openConsole(browser, server);
      await page.getByText("The disk of the server is full").waitFor();
      expect(await page.getByRole("status").first().textContent()).toContain("0.0 of 0.0 GB are free");
      expect(faults).toEqual([]);
      await context.close();
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});
