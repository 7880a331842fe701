import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DevProject } from "../support/dev-process.ts";
import { until } from "../support/until.ts";

const CTRL_C = "\x03";
const HANGING = "export default () => new Promise(() => undefined);\n";
// oxlint-disable-next-line no-control-regex -- colours are control characters
const COLOURS = /\x1b\[[0-9;]*m/g;

describe("in a terminal of 80 columns", () => {
  let project: DevProject;
  beforeEach(() => {
    project = new DevProject({
      "handler.ts": 'export default ({ input }) => { if (input.fail) throw new Error("no"); return input; };',
    });
  });
  afterEach(() => project.end());

  test("outcomes are in colour, and their lines fit", async () => {
    const dev = await project.dev(["handler.ts"], { isTerminal: true }).ready();
    await dev.runsync("handler", { text: "long ".repeat(40) });
    await dev.runsync("handler", { fail: true });
    await dev.line(/Error: no/);
    expect(dev.shown).toContain("\x1b[32mCOMPLETED\x1b[39m sync-");
    expect(dev.shown).toContain("\x1b[31mFAILED\x1b[39m sync-");
    const rows = dev.shown.replaceAll(COLOURS, "").split(/\r?\n/);
    const outcomes = rows.filter((row) => / sync-| -> |Error: /.test(row));
    expect(outcomes.map((row) => row.length).filter((length) => length > 80)).toEqual([]);
    expect(outcomes.some((row) => row.startsWith('         {"text":"long long'))).toBe(true);
    dev.type(CTRL_C);
    expect((await dev.exit).code).toBe(0);
  });

  test("NO_COLOR is obeyed", async () => {
    const dev = await project.dev(["handler.ts"], { isTerminal: true, env: { NO_COLOR: "1" } }).ready();
    await dev.runsync("handler", { fail: true });
    await dev.line(/Error: no/);
    expect(dev.shown.match(COLOURS)).toBeNull();
    dev.type(CTRL_C);
    expect((await dev.exit).code).toBe(0);
  });

  test("Ctrl-C ends all in order, a running job too, and nothing is left", async () => {
    project.write("handler.ts", HANGING);
    const env = { FOREBAY_DRAIN_GRACE_MS: "200" };
    const dev = await project.dev(["handler.ts"], { isTerminal: true, env }).ready();
    const job = await dev.run("handler");
    await until("it runs", async () => (await dev.status("handler", job)).status === "IN_PROGRESS");
    expect(project.processes().length).toBeGreaterThan(2);
    dev.type(CTRL_C);
    expect((await dev.exit).code).toBe(0);
    expect(project.processes()).toEqual([]);
  });

  test("the second Ctrl-C kills a worker that has not ended", async () => {
    project.write("handler.ts", HANGING);
    const env = { FOREBAY_DRAIN_GRACE_MS: "600000" };
    const dev = await project.dev(["handler.ts"], { isTerminal: true, env }).ready();
    const job = await dev.run("handler");
    await until("it runs", async () => (await dev.status("handler", job)).status === "IN_PROGRESS");
    dev.type(CTRL_C);
    await dev.line(/stopping; again to stop at once/);
    expect(project.processes().length).toBeGreaterThan(2);
    let end: number | null | undefined;
    void dev.exit.then(({ code }) => (end = code));
    await until("it has ended", () => {
      // The first moment counts as the same Ctrl-C.
      if (end === undefined) dev.type(CTRL_C);
      return end !== undefined;
    });
    expect(end).toBe(0);
    expect(project.processes()).toEqual([]);
  });
});
