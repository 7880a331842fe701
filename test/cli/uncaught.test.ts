import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processesIn } from "../support/processes.ts";
import { freePort } from "../support/free-port.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

/** Makes the program fail once it has printed what it prints when it is up. */
const FAULTS = {
  uncaughtException: 'setTimeout(() => { throw new Error("nobody catches this"); });',
  unhandledRejection: 'void Promise.reject(new Error("nobody catches this"));',
};

describe("a fault that no code catches ends the program with code 70 and one line that says why", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "forebay-uncaught-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** The exit code and the lines of standard error of a program that fails when it prints `up`. */
  async function failed(args: readonly string[], up: RegExp, fault: string): Promise<[unknown, string]> {
    const preload = join(directory, "fault.ts");
    writeFileSync(preload, `process.on("SIGUSR2", () => { ${fault} });`);
    const child = spawn(process.execPath, ["--preload", preload, MAIN, ...args], {
      cwd: directory,
      env: { ...process.env, ...(args[0] === "worker" ? ENVIRONMENT : {}), FOREBAY_DATA: "data" },
    });
    let out = "";
    let errors = "";
    let isTold = false;
    const look = (): void => {
      if (isTold || !up.test(out + errors)) return;
      isTold = true;
      child.kill("SIGUSR2");
    };
    child.stdout.on("data", (piece: Buffer) => {
      out += piece.toString();
      look();
    });
    child.stderr.on("data", (piece: Buffer) => {
      errors += piece.toString();
      look();
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    return [code, errors];
  }

  /** A worker that finds nobody tries again and again. */
  const ENVIRONMENT = { FOREBAY_EXCHANGE_URL: "http://127.0.0.1:1/$ID", FOREBAY_WORKER_TOKEN: "token" };

  for (const [event, fault] of Object.entries(FAULTS)) {
    test(`forebay serve: ${event}`, async () => {
      // Workers go on until the next start, so it has none.
      const args = ["serve", "--port", "0", "--no-demo"];
      const [code, errors] = await failed(args, /forebay ready on/, fault);
      expect(code).toBe(70);
      const lines = errors.trim().split("\n");
      const last: unknown = JSON.parse(lines.at(-1) ?? "");
      expect(last).toMatchObject({ level: "error", message: expect.stringContaining(event) });
      expect(last).toMatchObject({ error: expect.stringContaining("nobody catches this") });
    });

    test(`forebay dev: ${event}`, async () => {
      writeFileSync(join(directory, "handler.ts"), "export default () => 1;\n");
      const port = String(await freePort());
      const [code, errors] = await failed(["dev", "handler.ts", "--port", port], /is served on/, fault);
      expect([code, errors]).toEqual([70, expect.stringContaining("nobody catches this")]);
      expect(processesIn(directory)).toEqual([]);
    });

    test(`forebay worker: ${event}`, async () => {
      const args = ["worker", "--endpoint", "none", "--", "true"];
      const [code, errors] = await failed(args, /connects with what is in the environment/, fault);
      expect([code, errors]).toEqual([70, expect.stringContaining("nobody catches this")]);
    });
  }
});
