import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DevProject } from "../support/dev-process.ts";
import { until } from "../support/until.ts";

const answering = (value: string): string => `export default () => "${value}";\n`;
const HANGING = "export default () => new Promise(() => undefined);\n";

describe("a changed handler", () => {
  let project: DevProject;
  beforeEach(() => {
    project = new DevProject();
  });
  afterEach(() => project.end());

  test("answers what was queued and what ran: no job is lost, and none counts a loss", async () => {
    project.write("handler.ts", HANGING);
    const dev = await project.dev(["handler.ts"], { env: { FOREBAY_DRAIN_GRACE_MS: "200" } }).ready();
    const jobs = [await dev.run("handler"), await dev.run("handler"), await dev.run("handler")];
    const [first = ""] = jobs;
    await until("the first runs", async () => (await dev.status("handler", first)).status === "IN_PROGRESS");
    project.write("handler.ts", answering("new"));
    for (const job of jobs) {
      const record = await dev.ended("handler", job);
      expect(record).toMatchObject({ status: "COMPLETED", output: "new" });
      expect(record.retries).toBeUndefined();
    }
    await dev.stop();
  });

  test("leaves the old code a moment to end its job, and gives the next one to the new code", async () => {
    project.write(
      "handler.ts",
      `import { existsSync } from "node:fs";
       export default async () => { while (!existsSync("go")) await Bun.sleep(5); return "old"; };`,
    );
    const dev = await project.dev(["handler.ts"], { env: { FOREBAY_DRAIN_GRACE_MS: "30000" } }).ready();
    const running = await dev.run("handler");
    await until("it runs", async () => (await dev.status("handler", running)).status === "IN_PROGRESS");
    project.write("handler.ts", answering("new"));
    await dev.line(/changed: reloading\n/);
    expect(await dev.runsync("handler")).toMatchObject({ output: "new" });
    project.write("go", "");
    expect(await dev.ended("handler", running)).toMatchObject({ status: "COMPLETED", output: "old" });
    await dev.stop();
  });

  test.each([
    ["throws at import", 'function start() {\n  throw new Error("not today");\n}\nstart();\n', "not today"],
    ["cannot be parsed", "export default () => {{{;\n", "handler.ts:1"],
    ["has no handler", "export const other = 1;\n", "handler.ts has no handler. Export one"],
  ])("that %s is told of, and the jobs wait for the next change", async (_, broken, told) => {
    project.write("handler.ts", answering("old"));
    const dev = await project.dev(["handler.ts"]).ready();
    project.write("handler.ts", broken);
    await dev.line(/Waiting for the next change\./);
    expect(dev.shown).toContain(told);
    if (told === "not today") expect(dev.shown).toMatch(/at start \(.*handler\.ts:2/);
    const job = await dev.run("handler");
    await dev.line(new RegExp(`WAITS ${job} Workers exit before they connect: exit code`));
    project.write("handler.ts", answering("mended"));
    expect(await dev.ended("handler", job)).toMatchObject({ status: "COMPLETED", output: "mended" });
    expect((await dev.status("handler", job)).retries).toBeUndefined();
    await dev.stop();
  });

  test("is any code in its directory and below, also in new directories, and nothing else", async () => {
    project.write("lib/text.ts", answering("one"));
    project.write("handler.ts", 'import text from "./lib/text.ts"; export default () => text();\n');
    project.write("node_modules/a/index.js", "");
    const dev = await project.dev(["handler.ts"]).ready();
    // What makes no reload comes first: it would be told before the one that is waited for.
    project.write("node_modules/a/index.js", "// changed");
    project.write("data.json", "{}");
    project.write(".hidden/a.ts", "");
    project.write("lib/text.ts", answering("two"));
    await dev.line(/^lib\/text\.ts changed: reloading$/m);
    expect(await dev.runsync("handler")).toMatchObject({ output: "two" });
    project.write("more/deeper/note.md", "");
    await until("the new directory is watched", async () => {
      project.write("more/deeper/number.ts", "export default 3;\n");
      return /^more\/deeper\/number\.ts changed/m.test(dev.shown);
    });
    await dev.stop();
    expect(dev.shown).not.toMatch(/(index\.js|data\.json|hidden).* changed/);
  });

  test("is any code of its project, also outside its own directory", async () => {
    project.write("package.json", "{}");
    project.write("shared/text.ts", answering("one"));
    project.write(
      "handlers/greet.ts",
      'import text from "../shared/text.ts"; export default () => text();\n',
    );
    const dev = await project.dev(["handlers/greet.ts"]).ready();
    project.write("shared/text.ts", answering("two"));
    await dev.line(/^shared\/text\.ts changed: reloading$/m);
    expect(await dev.runsync("greet")).toMatchObject({ output: "two" });
    await dev.stop();
  });
});
