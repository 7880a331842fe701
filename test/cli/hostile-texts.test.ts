import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonLog } from "../../src/host/json-log.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";

/** Clears a screen, in both forms; rings; writes the other way round; begins a line of its own. */
const HOSTILE = 'a\u001b[2Jb\u009b2Jc\u0007d\u202ee\u2028f{"level":"error"}';
// oxlint-disable-next-line no-control-regex -- what must not be there
const OBEYED = /\u001b\[2J|\u009b|\u0007|\u202e|\u2028/;

describe("T19: texts of strangers", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const printed = async (args: readonly string[], isInTerminal: boolean): Promise<string> => {
    const { env } = server;
    return (await new ForebayCommand(args, { env, isInTerminal }).ended()).stdout;
  };

  test("a line of the log is one line of the same JSON, whatever is in it", () => {
    const lines: string[] = [];
    jsonLog((line) => lines.push(line)).error(HOSTILE, { job: `${HOSTILE}\n`, [HOSTILE]: HOSTILE });
    const [line = ""] = lines;
    expect(line).not.toMatch(OBEYED);
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toMatchObject({ message: HOSTILE, job: `${HOSTILE}\n`, [HOSTILE]: HOSTILE });
  });

  test("names, outputs, errors and chunks are shown in a terminal, and not obeyed", async () => {
    await server.key("read", { name: `${HOSTILE}\nnext` });
    const keys = await printed(["keys", "list"], true);
    expect(keys).toContain(`b\\u009b2Jc`);
    expect(keys).not.toMatch(OBEYED);
    expect(keys).toContain("\\nnext");

    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    for (const result of [{ output: HOSTILE }, { output: { text: HOSTILE } }, { error: HOSTILE }]) {
      const job = await server.run(endpoint);
      await worker.take(1);
      await worker.stream(job, { output: HOSTILE });
      await worker.done(job, result);
      for (const command of ["status", "stream"]) {
        const text = await printed([command, endpoint, job], true);
        expect(text).toContain("\\u009b2Jc");
        expect(text).not.toMatch(OBEYED);
      }
    }
  });

  test("a file gets an output as it is", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take(1);
    await worker.done(job, { output: HOSTILE });
    expect(await printed(["status", endpoint, job], false)).toContain(HOSTILE);
  });
});
