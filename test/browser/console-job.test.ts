import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

const LIBRARY =
  '  File "/usr/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job';
const OWN = '  File "/app/handler.py", line 5, in handler';
const TRACEBACK = [
  "Traceback (most recent call last):",
  LIBRARY,
  OWN,
  "    paint()",
  "ValueError: no <b>paint</b>",
];
const EXCEPTION = JSON.stringify({
  error_type: "<class 'ValueError'>",
  error_message: "no <b>paint</b>",
  error_traceback: `${TRACEBACK.join("\n")}\n`,
});

describe("the page of a job, in Chromium", () => {
  const person = personAtConsole();

  /** A job at a worker, on an endpoint of its own. */
  async function atWork(name: string) {
    const { server } = person;
    const endpoint = await server.endpoint({ name });
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint, { n: 1 });
    await worker.take();
    return { endpoint, worker, job, place: `endpoints/${endpoint}/jobs/${job}` };
  }

  const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allTextContents();

  test("shows an exception once: type, message, own frames marked; a click copies all of it", async () => {
    const { page } = person;
    const { worker, job, place } = await atWork("raises");
    await worker.done(job, { error: EXCEPTION });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await goToPlace(page, place, "ValueError");
    expect(await texts(page, ".failure-type")).toEqual(["ValueError"]);
    expect(await texts(page, ".failure")).toEqual(["no <b>paint</b>"]);
    const frames = TRACEBACK.slice(0, -1);
    expect((await texts(page, ".traceback > span")).join("")).toBe(`${frames.join("\n")}\n`);
    expect(await texts(page, ".traceback .own")).toEqual([`${OWN}\n`, "    paint()\n"]);
    expect((await page.locator("main").innerText()).split("no <b>paint</b>").length - 1).toBe(1);
    await page.getByRole("region", { name: "Error" }).getByRole("button", { name: "Copy" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(TRACEBACK.join("\n"));
  });

  test("of a long traceback shows its end, and the rest on demand", async () => {
    const { page, press } = person;
    const { worker, job, place } = await atWork("recurses");
    const frames = Array.from({ length: 3_000 }, (_, index) => `  File "/app/m.py", line ${index}, in f`);
    const error_traceback = frames.join("\n");
    await worker.done(job, {
      error: JSON.stringify({ error_type: "RecursionError", error_message: "", error_traceback }),
    });
    await goToPlace(page, place, "line 2999");
    expect(await page.locator(".traceback > span").count()).toBe(100);
    await press("Show more of 3,000 lines");
    expect(await page.locator(".traceback > span").count()).toBe(2_000);
  });

  test("names its endpoint, and says what a part of the timeline is, its start and its length", async () => {
    const { page, follow } = person;
    const { worker, job, place } = await atWork("crumbs");
    await worker.done(job, { output: 1 });
    await goToPlace(page, place, "completed");
    await page.locator(".attempts-bar").hover();
    expect(await page.locator(".bar-hint").textContent()).toMatch(
      /^(waited|ran) [\d.]+ m?s, from \d\d:\d\d:\d\d\.\d{3} \(\+[\d.]+ m?s\)$/,
    );
    await page.getByRole("heading", { name: "Job" }).hover();
    await page.locator(".bar-hint").waitFor({ state: "detached" });
    await follow("crumbs");
    await page.getByRole("heading", { name: "crumbs", level: 1 }).waitFor();
  });

  test("opens the logs of a failed job: JSON in parts, lines of other jobs only when asked", async () => {
    const { page } = person;
    const { worker, job, place } = await atWork("logs");
    await worker.done(job, { error: "no" });
    const other = job.replace(/^.{8}/, "00000000");
    const printed = [
      JSON.stringify({ level: "ERROR", message: "out of <i>memory</i>", requestId: job, batch: { size: 8 } }),
      JSON.stringify({ level: 30, msg: "another", job: other }),
      `a line for ${other}`,
      "a plain line {not JSON",
      '{"message": "cut off',
    ];
    const lines = printed.map((line) =>
      JSON.stringify({ time: "2026-01-31T12:00:00.000Z", stream: "stdout", line }),
    );
    await page.route("**/logs*", (route) =>
      route.fulfill({ status: 200, contentType: "application/x-ndjson", body: `${lines.join("\n")}\n` }),
    );
    await goToPlace(page, place, "2 lines of other jobs are hidden.");
    const time = "12:00:00.000";
    const rows = [
      `${time}ERROR out of <i>memory</i> requestId=${job} batch={"size":8}`,
      `${time}a plain line {not JSON`,
      `${time}{"message": "cut off`,
    ];
    expect(await texts(page, ".log .stdout")).toEqual(rows);
    await page.getByLabel("Only this job").uncheck();
    const [first, ...others] = rows;
    expect(await texts(page, ".log .stdout")).toEqual(
      [first, `${time}INFO another job=${other}`, `${time}a line for ${other}`, ...others].map(String),
    );
  });

  test("joins the texts of a stream, shows each chunk on demand, and stands still if paused", async () => {
    const { page, press, shown } = person;
    const { worker, job, place } = await atWork("tokens");
    await goToPlace(page, place, "in progress");
    const chunks = [
      "One",
      { text: ", two" },
      { choices: [{ tokens: [", ", "three"] }] },
      { choices: [{ delta: { content: "." } }] },
      { usage: { tokens: 7 } },
      "Four",
    ];
    for (const output of chunks) await worker.stream(job, { output });
    await shown("Four");
    expect(await texts(page, ".said-live")).toEqual(["One, two, three.", "Four"]);
    expect(await page.locator(".chunks .tree").count()).toBe(1);
    await press("Each chunk");
    expect(await texts(page, ".chunk-list li small")).toEqual(["1", "2", "3", "4", "5", "6"]);
    await press('{"output":{"text":", two"}}');
    await page.locator(".chunk-list .tree").getByText(", two").waitFor();
    await press("Each chunk");
    await press("Pause");
    await worker.stream(job, { output: " and five" });
    await press("Resume (1 new)");
    await shown("Four and five");
  });

  test("follows a stream until a person scrolls up, and again when asked", async () => {
    const { page, press } = person;
    const { worker, job, place } = await atWork("long");
    await goToPlace(page, place, "in progress");
    const isAtEnd = (): Promise<boolean> =>
      page.locator(".chunks").evaluate((view) => view.scrollTop + view.clientHeight > view.scrollHeight - 2);
    const stream = async (word: string): Promise<void> => {
      await worker.stream(job, { output: `${word}\n`.repeat(100) });
      await page.locator(".said-live").getByText(word).waitFor();
    };
    await stream("first");
    await until("the end is in sight", isAtEnd);
    await page.locator(".chunks").evaluate((view) => view.scrollTo(0, 0));
    await page.getByRole("button", { name: "Follow" }).waitFor();
    await stream("second");
    expect(await isAtEnd()).toBe(false);
    await press("Follow");
    await until("the end is in sight again", isAtEnd);
  });

  test("runs again with an input that a person changes before; no number in it is rounded", async () => {
    const { page, server, press, shown } = person;
    const { endpoint, worker, job, place } = await atWork("again");
    await worker.done(job, { output: 1 });
    const big = (await server.post(`/v2/${endpoint}/run`, '{"input":{"big":12345678901234567890,"n":[]}}'))
      .json.id;
    await goToPlace(page, place.replace(job, big), "12345678901234567890");
    await press("Run again");
    const editor = page.getByLabel("Input", { exact: true });
    await until("the input is there", async () => (await editor.inputValue()) !== "");
    expect(await editor.inputValue()).toBe('{\n  "big": 12345678901234567890,\n  "n": []\n}');
    await editor.fill("[1]");
    await shown("The input must be a JSON object");
    expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
    await editor.fill('{"big": 12345678901234567891}');
    await press("Run");
    await shown("12345678901234567891");
    const { requests } = (await server.get(`/v2/${endpoint}/requests?limit=1`)).json;
    const { text } = await server.get(`/v1/endpoints/${endpoint}/jobs/${requests[0].id}/input`);
    expect(text).toBe('{"big": 12345678901234567891}');
    expect(requests[0].id).not.toBe(big);
  });

  test("goes to the jobs beside it in the list of its endpoint", async () => {
    const { page, server, press } = person;
    const { endpoint, job, place } = await atWork("neighbours");
    const sync = server.post(`/v2/${endpoint}/runsync?wait=1000`, { input: { n: 2 } });
    await sync;
    const last = await server.run(endpoint, { n: 3 });
    const numbers = ["1", "2", "3"];
    const isShown = (number: string): Promise<void> =>
      page.locator(".tree .figure").getByText(number, { exact: true }).waitFor();
    const [previous, next] = ["Previous", "Next"].map((name) => page.getByRole("button", { name }));
    const areEnabled = () => Promise.all([previous?.isEnabled(), next?.isEnabled()]);
    /** They are disabled until the list is known. */
    const known = () => until("the list is known", async () => (await areEnabled()).includes(true));
    const isFocused = (name: string) =>
      until(`${name} has the focus`, () =>
        page.evaluate<boolean>(`document.activeElement.textContent === "${name}"`),
      );
    await goToPlace(page, place.replace(job, last), "in queue");
    await press("Next");
    await isShown("2");
    await isFocused("Next");
    await page.keyboard.press("Enter");
    await isShown("1");
    // Nothing is below it.
    await isFocused("Previous");
    await known();
    expect(await areEnabled()).toEqual([true, false]);
    for (const number of numbers.slice(1)) {
      await press("Previous");
      await isShown(number);
    }
    await known();
    expect(await areEnabled()).toEqual([false, true]);
    const newest = await server.run(endpoint, { n: 4 });
    await page.reload();
    await press("Previous");
    await isShown("4");
    expect(page.url()).toEndWith(newest);
  });

  test("a job that has not ended, under the address of another endpoint, is shown where it is", async () => {
    const { page, server } = person;
    const { endpoint, job, place } = await atWork("mine");
    const other = await server.endpoint({ name: "other" });
    await goToPlace(page, `${place.replace(endpoint, other)}?state=IN_PROGRESS`, "in progress");
    await until("the address is right", () =>
      Promise.resolve(page.url().endsWith(`endpoints/${endpoint}/jobs/${job}?state=IN_PROGRESS`)),
    );
    expect(await page.getByText("has expired").count()).toBe(0);
    await page.getByRole("link", { name: "mine" }).waitFor();
  });

  test("shows its input as code of four languages", async () => {
    const { page, server, press, shown } = person;
    const { endpoint, place } = await atWork("code");
    await goToPlace(page, place, "in progress");
    await press("Code");
    await shown(`curl ${server.url}/v2/${endpoint}/runsync`);
    await press("Python");
    await shown('body = {"input": {"n": 1}}');
    await press("TypeScript");
    await shown('const body = {"input": {"n": 1}};');
    await press("CLI");
    await shown(`forebay runsync ${endpoint} '{"n": 1}'`);
    await press("Close");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});
