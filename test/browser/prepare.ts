import { chromiumProgram } from "../support/browser.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";

// What the suite `browser` needs.
prepareSuite(() => requireInstalled({ chromium: chromiumProgram() !== undefined }));
