import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { openConsole, type OpenedConsole } from "./console-world.ts";

/** Somebody who is signed in with the operator's key, on a page of their own in each test. */
export interface Person {
  readonly server: TestServer;
  readonly browser: Browser;
  readonly page: Page;
  /** Clicks the button that is called so. */
  press(name: string): Promise<void>;
  /** Clicks the first link that is called so. */
  follow(name: string): Promise<void>;
  /** Resolves when the text can be read. */
  shown(text: string | RegExp): Promise<void>;
}

/**
 * For a whole `describe`: a server with these flags and a browser for all its tests, a page for each. A test
 * fails where its page says an error, asks elsewhere, or breaks the policy of the console.
 */
export function personAtConsole(flags: Record<string, string> = {}): Person {
  let server: TestServer;
  let browser: Browser;
  let opened: OpenedConsole;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start({ flags }), startBrowser()]);
  });
  beforeEach(async () => {
    opened = await openConsole(browser, server);
  });
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.context.close();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  return {
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
    get page() {
      return opened.page;
    },
    press: (name) => opened.page.getByRole("button", { name, exact: true }).click(),
    follow: (name) => opened.page.getByRole("link", { name, exact: true }).first().click(),
    shown: (text) => opened.page.getByText(text).first().waitFor(),
  };
}
