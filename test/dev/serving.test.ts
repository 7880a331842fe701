import { afterEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { DevProject } from "../support/dev-process.ts";
import { TEST_KEY } from "../support/test-client.ts";

const GREET = `({ greeting: "Hello, " + input.name + "!" })`;
const START = `import * as serverless from "@forebay/worker";\n`;

/** Ways to write a handler. */
const HANDLERS: Readonly<Record<string, string>> = {
  "default.ts": `export default ({ input }: { input: { name: string } }) => ${GREET};`,
  "named.mjs": `export async function handler({ input }) { return ${GREET}; }`,
  "required.cjs": `module.exports = { handler: ({ input }) => ${GREET} };`,
  "program.ts": `${START}await serverless.start<{ name: string }>({ handler: ({ input }) => ${GREET} });`,
  "floating.ts": `${START}void serverless.start<{ name: string }>({ handler: ({ input }) => ${GREET} });
    export const handler = () => "the wrong one";`,
  "later.ts": `${START}const handler = ({ input }: { input: { name: string } }) => ${GREET};
    setTimeout(() => serverless.start({ handler }), 50);`,
  "my handler.v2.ts": `export default ({ input }) => ${GREET};`,
};

describe("a handler is served", () => {
  let project: DevProject | undefined;
  afterEach(() => {
    project?.end();
    project = undefined;
  });

  test.each(Object.entries(HANDLERS))("as %s", async (name, text) => {
    project = new DevProject({ [name]: text });
    project.installSdk();
    const dev = await project.dev([name]).ready();
    const endpoint = name.replace(/\.\w+$/, "").replaceAll(/[ .]/g, "-");
    const record = await dev.runsync(endpoint, { name: "Ada" });
    expect(record).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    await dev.stop();
  });

  test("with a call that works as it is printed, and a client with its base URL", async () => {
    project = new DevProject({ "handler.ts": HANDLERS["default.ts"] ?? "" });
    const dev = await project.dev(["handler.ts"], { env: { FOREBAY_ADMIN_KEY: "" } }).ready();
    const curl = await dev.line(/^(curl [^]*?\}')$/m);
    const { stdout } = spawnSync("sh", ["-c", curl], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, world!" } });
    expect(dev.shown).toContain(`{ baseUrl: "${dev.url}/sdk/v2" }`);
    await dev.stop();
  });

  test("with the console, to which the printed key signs in", async () => {
    project = new DevProject({ "handler.ts": HANDLERS["default.ts"] ?? "" });
    const dev = await project.dev(["handler.ts"], { env: { FOREBAY_ADMIN_KEY: "" } }).ready();
    const key = await dev.line(/^console: http\S+\/console \(sign in with the key (fbk_\w[\w-]+)\)$/m);
    const url = await dev.line(/^console: (\S+)/m);
    expect(await (await fetch(url)).text()).toContain("<!doctype html>");
    const session = await fetch(`${dev.url}/console/session`, {
      method: "POST",
      headers: { origin: dev.url, "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
    expect(session.ok).toBe(true);
    await dev.stop();
  });

  test("a line reports each progress value", async () => {
    const text = `export default async (job, context) => {
      context.progress({ step: 1 });
      while (!(await Bun.file("go").exists())) await new Promise((resolve) => setTimeout(resolve, 20));
    };`;
    project = new DevProject({ "handler.ts": text });
    const dev = await project.dev(["handler.ts"]).ready();
    const job = await dev.run("handler");
    expect(await dev.line(/^\d\d:\d\d:\d\d PROGRESS (.*)$/m)).toBe(`${job} {"step":1}`);
    project.write("go", "");
    await dev.line(/COMPLETED/);
    await dev.stop();
    expect(dev.shown.match(/PROGRESS/g)).toHaveLength(1);
  });

  test("in the directory and with the environment of the command, without the keys of servers", async () => {
    const text = "export default () => ({ cwd: process.cwd(), env: process.env });";
    project = new DevProject({ "lib/handler.ts": text });
    const env = { SOME_PASSWORD: "mine", FOREBAY_KEY: "a-key" };
    const dev = await project.dev(["lib/handler.ts"], { env }).ready();
    const { output } = await dev.runsync("handler");
    expect(output.cwd).toBe(project.directory);
    expect(output.env).toMatchObject({ SOME_PASSWORD: "mine", RUNPOD_ENDPOINT_ID: "handler" });
    expect(JSON.stringify(output.env)).not.toContain(TEST_KEY);
    expect(output.env.FOREBAY_KEY).toBeUndefined();
    await dev.stop();
  });

  test("one line reports each job, with the handler's own stack below an error", async () => {
    const text = `
      function inner(input) { if (input.fail) throw new TypeError("no good"); return [input.n]; }
      export default async ({ input }) => { console.log("n is", input.n); return inner(input); };`;
    project = new DevProject({ "handler.ts": text });
    const dev = await project.dev(["handler.ts"]).ready();
    const good = await dev.runsync("handler", { n: 1 });
    expect(await dev.line(/^\d\d:\d\d:\d\d (COMPLETED .*)$/m)).toMatch(
      new RegExp(`^COMPLETED ${good.id} \\d+ ms \\+ \\d+ ms \\{"n":1\\} -> \\[1\\]$`),
    );
    // It comes by another way than the result.
    await dev.line(/^n is 1$/m);
    const bad = await dev.runsync("handler", { fail: true });
    const lines = (await dev.line(/(FAILED [^]*?handler\.ts:3[^\n]*)\n/)).split("\n");
    expect(lines[0]).toMatch(new RegExp(`^FAILED ${bad.id} .* \\{"fail":true\\} -> -$`));
    expect(lines[1]).toBe("  TypeError: no good");
    expect(lines[2]).toMatch(/^ +at inner \(handler\.ts:2:\d+\)$/);
    expect(lines[3]).toMatch(/^ +at .*handler\.ts:3:\d+\)?$/);
    await dev.stop();
    expect(dev.shown).not.toContain("sdk/src");
    expect(dev.shown).not.toContain("\x1b");
  });

  test("a worker that a job ends is started again, and the job runs anew", async () => {
    const text = `
      import { existsSync, writeFileSync } from "node:fs";
      export default () => {
        if (existsSync("seen")) return "again";
        writeFileSync("seen", "");
        process.exit(3);
      };`;
    project = new DevProject({ "handler.ts": text });
    const dev = await project.dev(["handler.ts"]).ready();
    expect(await dev.runsync("handler")).toMatchObject({ status: "COMPLETED", output: "again", retries: 1 });
    await dev.line(/the worker exited \(exit code 3\); starting another one/);
    await dev.stop();
  });
});
