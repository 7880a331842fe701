import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { newMeters } from "../../src/domain/meters.ts";
import { router } from "../../src/http/router.ts";
import { serveHttp } from "../../src/http/server.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { NO_DISK, NO_VITALS } from "../support/no-vitals.ts";
import { ServerProcess } from "../support/server-process.ts";

describe("the first admin key", () => {
  let directory: string;
  let data: string;
  let server: ServerProcess | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "forebay-first-key-"));
    data = join(directory, "data");
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    rmSync(directory, { recursive: true });
  });

  const failed = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await new ForebayCommand(["serve", "--data", data, ...args]).ended();
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };

  /** Starts it with what it needs; the first start that works has a key to show, and the example. */
  const expectShown = async (): Promise<void> => {
    server = await ServerProcess.start({ flags: { data, demo: "true", "admin-key": "" } });
    expect(server.printed[1]).toMatch(/^ {2}admin key \(shown only now\): fbk_/);
    expect(server.printed.join("\n")).toContain(`${server.url}/v2/hello/runsync`);
  };

  test("is shown by the first start that works when the port was in use before", async () => {
    const other = createServer();
    const port = await listening(other);
    try {
      expect(await failed("--port", String(port))).toBe(
        `forebay serve: Port ${port} is in use by ${basename(process.execPath)} (process ${process.pid}). ` +
          "Stop it, or choose a port with --port.\n",
      );
    } finally {
      other.close();
    }
    expect(existsSync(join(data, "forebay.db"))).toBe(false);
    await expectShown();
  });

  test.each([
    [
      "the TLS files of Docker were missing",
      ["--docker-host", "tcp://127.0.0.1:1", "--docker-tls", "/nowhere"],
      "/nowhere",
    ],
    ["a setting was wrong", ["--webhook-allow", "here"], "--webhook-allow"],
  ])("is shown by the first start that works when %s before", async (_, args, named) => {
    expect(await failed("--port", "0", ...args)).toContain(named);
    await expectShown();
  });
});

describe("a server that starts", () => {
  test("answers 503 until it is ready", async () => {
    const log = new MemoryLog();
    const server = serveHttp({
      host: "127.0.0.1",
      port: 0,
      log,
      meters: newMeters(NO_VITALS, NO_DISK),
      smallBodyTime: 1_000,
      restTime: 1_000,
      connectionLimits: { connections: 0, keylessConnections: 0 },
      corsOrigins: "",
    });
    try {
      const ready = await fetch(`${server.url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: "starting" }]);
      const call = await fetch(`${server.url}/v2/e/run`, { method: "POST", body: "{}" });
      expect([call.status, call.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await call.json()).toMatchObject({ code: "STARTING", status: 503 });
      const handle = () => ({ status: 200, headers: {}, body: "ok" });
      const readyz = { method: "GET", path: "/readyz", takesHead: true, handle } as const;
      server.open(router([readyz]));
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    } finally {
      await server.stop(0);
    }
    expect(log.errors).toEqual([]);
  });
});

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
    });
  });
}
