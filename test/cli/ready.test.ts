import { expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { ServerProcess } from "../support/server-process.ts";

const ready = (...words: string[]) => new ForebayCommand(["ready", ...words]).ended();

test("exit code 0 if the server takes requests, 1 with the reason if it does not", async () => {
  const server = await ServerProcess.start();
  const { host, port } = new URL(server.url);
  try {
    expect(await ready("--port", port)).toMatchObject({
      status: 0,
      stdout: `ready: http://${host}/readyz\n`,
      stderr: "",
    });
    // As a container, which listens on all addresses.
    expect(await ready("--port", port, "--host", "0.0.0.0")).toMatchObject({ status: 0 });
  } finally {
    await server.stop();
  }
  const { status, stdout, stderr } = await ready("--port", port);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toStartWith(`not ready: http://${host}/readyz: `);
});

test("--wait waits for a server that starts", async () => {
  const port = String(await freePort());
  const waiting = ready("--port", port, "--wait", "60");
  await using end = new AsyncDisposableStack();
  end.adopt(await ServerProcess.start({ args: ["--port", port] }), (server) => server.stop());
  expect(await waiting).toMatchObject({ status: 0 });
});

test.each([
  [["--wait", "soon"], '--wait: requires a whole number of seconds from 0 to 3600, got "soon".'],
  [["--port", "http"], "--port: "],
  [["now"], 'unexpected argument "now". See --help.'],
])("forebay ready %p is exit code 2 and a sentence", async (words, sentence) => {
  const { status, stderr } = await ready(...words);
  expect(status).toBe(2);
  expect(stderr).toStartWith(`forebay ready: ${sentence}`);
});
