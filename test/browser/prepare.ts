import { chromiumProgram } from "../support/browser.ts";

// What the suite `browser` needs: fails with the reason where it is not there.
if (chromiumProgram() === undefined) {
  process.stderr.write("Chromium is not installed: apt-get install chromium\n");
  process.exit(1);
}
