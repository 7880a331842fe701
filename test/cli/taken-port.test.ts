import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { takenPort } from "../../src/cli/port-holder.ts";
import { freePort } from "../support/free-port.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const ADVICE = "Stop it, or choose a port with --port.";

describe("a taken port names the program that holds it", () => {
  test("another Forebay", async () => {
    const server = await ServerProcess.start();
    try {
      const { port } = new URL(server.url);
      const args = ["serve", "--port", port, "--data", ":memory:"];
      const { status, stdout, stderr } = await new ForebayCommand(args).ended();
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^forebay serve: Port \d+ is in use by Forebay \(process \d+\)\. Stop it, or /);
    } finally {
      await server.stop();
    }
  });

  test("another Forebay on the same data", async () => {
    const server = await ServerProcess.start();
    try {
      const { port } = new URL(server.url);
      const args = ["serve", "--port", port, "--data", `${server.directory}/data`];
      const { status, stderr } = await new ForebayCommand(args).ended();
      expect(status).toBe(2);
      expect(stderr).toStartWith("forebay serve: another Forebay server is using the data directory ");
    } finally {
      await server.stop();
    }
  });

  test.each(["127.0.0.1", "::1"])("a program on %s", async (host) => {
    const port = await freePort();
    const listen = `import socket, time
s = socket.socket(socket.AF_INET6 if ":" in "${host}" else socket.AF_INET)
s.bind(("${host}", ${port})); s.listen(); print("listening", flush=True); time.sleep(60)`;
    const child = spawn("python3", ["-c", listen], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      let printed = "";
      child.stdout.on("data", (piece: Buffer) => (printed += piece.toString()));
      await until("it listens", () => printed.includes("listening"));
      const sentence = takenPort(port);
      expect(sentence).toMatch(/^Port \d+ is in use by python3[.\d]* \(process \d+\)\. /);
      expect(sentence).toContain(`Port ${port} `);
      expect(sentence).toEndWith(`(process ${child.pid}). ${ADVICE}`);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("nobody who can be named", async () => {
    const port = await freePort();
    expect(takenPort(port)).toBe(`Port ${port} is in use by another program. ${ADVICE}`);
  });
});
