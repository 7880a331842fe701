import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian and others put Chromium. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of Chromium; undefined where it is not installed. */
export function chromiumProgram(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** A browser that speaks with nobody but the pages' servers. */
export function startBrowser(): Promise<Browser> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) throw new Error("Chromium is not installed");
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", ...quiet],
  });
}
