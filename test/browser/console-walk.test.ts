import { describe, expect, test } from "bun:test";
import { deleteWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { managedWorker } from "../support/managed-worker.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { goToPlace, signIn } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("a person at the console, in Chromium", () => {
  const person = personAtConsole();

  const newest = async (endpoint: string): Promise<string> =>
    (await person.server.get(`/v2/${endpoint}/requests?limit=1`)).json.requests[0].id;

  test("signs in with a key that no script can read, stays signed in, and signs out", async () => {
    const { page, press, shown } = person;
    expect(await page.evaluate("document.cookie + JSON.stringify({ ...localStorage })")).toBe("{}");
    expect(await page.content()).not.toContain(TEST_KEY);
    await page.reload();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
    await press("Sign out");
    await shown("You are signed out.");
    await page.reload();
    await page.getByLabel("API key").fill("nobody's");
    await press("Sign in");
    await shown("This key is unknown.");
    await signIn(page, TEST_KEY);
  });

  test("gets from an empty server to the first answered job", async () => {
    const { page, server, press, follow, shown } = person;
    await shown("Your first job");
    await page.getByRole("link", { name: "New endpoint" }).click();
    await page.getByLabel("Name", { exact: true }).fill("first");
    await page.getByLabel("External workers").check();
    await press("Create endpoint");
    await shown("No workers");
    const [{ id }] = (await server.get("/v1/endpoints")).json;
    await follow("Endpoints");
    await shown("Send a request to");
    await press("Send it here");
    const worker = await server.worker(id);
    await until("the job is taken", async () => (await worker.take()).status === 200);
    await worker.done(await newest(id), { output: { greeting: "Hello, console!" } });
    await shown("Hello, console!");
    await follow("Open job");
    await shown("Run again");
  });

  test("creates a template, with errors at fields, changes it, and creates an endpoint on it", async () => {
    const { page, server, press, follow, shown } = person;
    await follow("Templates");
    await page.getByRole("link", { name: "New template" }).click();
    await page.getByLabel("Name", { exact: true }).fill("greeter");
    await page.getByLabel("Image").fill("not an image");
    await press("Create template");
    await shown("must be an image reference, such as");
    expect(await page.getByLabel("Image").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Image").fill("process/hello");
    await page.getByLabel("Category").selectOption("CPU");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByLabel("Name 1 of Variables").fill("MODEL");
    await page.getByLabel("Value 1 of Variables").fill("small");
    await page.getByLabel("Readme").fill("# Greets\n\nIt says **hello**.");
    await press("Create template");
    await page.locator(".markdown strong").getByText("hello").waitFor();
    const [template] = (await server.get("/v1/templates")).json;
    expect(template).toMatchObject({ category: "CPU", env: { MODEL: "small" }, isServerless: true });
    await follow("Edit");
    await page.getByLabel("Readme").fill("It greets.");
    await press("Save");
    await page.locator(".markdown").getByText("It greets.").waitFor();
    await page.getByLabel("Search by name or image").fill("nothing like it");
    await shown("No template matches");
    await follow("New endpoint");
    await page.getByLabel("Name", { exact: true }).fill("greetings");
    await press("Create endpoint");
    await shown("No jobs yet");
  });

  test("runs a request, sees its answer, and its job with input and output as they were sent", async () => {
    const { page, server, press, follow, shown } = person;
    const endpoint = await server.endpoint({ name: "runs" });
    const worker = await server.worker(endpoint);
    await goToPlace(page, `run/${endpoint}`, "A request becomes a job");
    const editor = page.getByLabel("Body");
    await editor.fill('{"input": ');
    expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
    await editor.fill('{"input": {"big": 12345678901234567890, "text": "a <b>"}}');
    await press("Python");
    await shown("urllib.request");
    await press("Run");
    await until("the job is taken", async () => (await worker.take()).status === 200);
    const job = await newest(endpoint);
    await worker.done(job, { output: { answer: 42 } });
    // The id of the job stands there too, and may have these figures in it.
    await page.locator(".answer").getByText("42", { exact: true }).waitFor();
    await follow("Open job");
    await shown("12345678901234567890");
    await shown("a <b>");
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).first().click();
    expect((await saved).suggestedFilename()).toBe(`${job}-input.json`);
    await press("Run again");
    await press("Run");
    await until("a second job is there", async () => (await newest(endpoint)) !== job);
    await page.getByText("in queue").first().waitFor();
  });

  test("sees on which host and GPUs each attempt of a job ran, also when the worker is gone", async () => {
    const { page, server, shown } = person;
    const endpoint = await server.endpoint({ name: "gpus" });
    const gpus = [{ uuid: "GPU-4b2d1e3c", name: "NVIDIA L40S" }];
    const worker = await managedWorker(server, endpoint, { host: "docker", gpus });
    const job = await server.run(endpoint);
    await worker.take();
    await worker.done(job, { output: 1 });
    await deleteWorkerToken(server.forebay.engine, worker.id);
    await goToPlace(page, `endpoints/${endpoint}/jobs/${job}`, "Timeline");
    await shown(/of version 3 on docker, [0-9.]+ GPU seconds on NVIDIA L40S GPU-4b2d1e3c\./);
  });

  test("watches a stream as it comes, and cancels its job", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "streams" });
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    await goToPlace(page, `endpoints/${endpoint}/jobs/${job}`, "in progress");
    await worker.stream(job, { output: "one " });
    await shown("one");
    await worker.stream(job, { output: "two" });
    await page.locator(".said-live").getByText("one two").waitFor();
    await press("Cancel");
    await press("Cancel job");
    await shown("cancelled");
    expect((await server.status(endpoint, job)).status).toBe("CANCELLED");
  });

  test("finds a job that failed by its state, and retries it", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "fails" });
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    await worker.done(job, { error: "out of paint" });
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "out of paint");
    await press("completed");
    await shown("No job matches the filters");
    await press("completed");
    await press("failed");
    await page.getByRole("link", { name: job }).click();
    await shown("out of paint");
    await press("Retry");
    await page.getByText("in queue").first().waitFor();
    expect((await server.status(endpoint, job)).status).toBe("IN_QUEUE");
  });

  test("pauses, purges and deletes an endpoint, each behind a question that names it", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "doomed" });
    await server.run(endpoint);
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "1 job");
    await press("Pause");
    await shown("paused");
    await press("Purge");
    await shown("Purge the queue of doomed?");
    await page.keyboard.press("Escape");
    await press("Purge");
    await press("Remove waiting jobs");
    await shown("1 job is removed.");
    await press("Delete");
    const sure = page.getByRole("button", { name: "Delete endpoint" });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel("Type doomed to confirm").fill("doomed");
    await sure.click();
    await shown("doomed is deleted.");
    expect((await server.get(`/v1/endpoints/${endpoint}`)).status).toBe(404);
  });

  test("changes settings, with errors next to the field", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "settings" });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Idle time");
    await page.getByLabel("Idle time").fill("0");
    await press("Save");
    await page.locator(".field .wrong").waitFor();
    expect(await page.getByLabel("Idle time").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Idle time").fill("30s");
    await page.getByLabel("Maximum waiting jobs").fill("1000");
    await press("Save");
    await shown("The settings are saved.");
    const { json } = await server.get(`/v1/endpoints/${endpoint}`);
    expect(json).toMatchObject({ idleTimeout: 30, maxQueuedJobs: 1_000 });
  });

  test("makes a key that is shown once, rotates it, and revokes it", async () => {
    const { page, server, press, follow, shown } = person;
    await follow("Keys");
    await press("New key");
    await page.getByLabel("Name").fill("shop");
    await page.getByRole("radio", { name: /^read/ }).check();
    await press("Create key");
    // It waits for the answer of the server, as its like for all matches does not.
    const made = (await page.locator(".key-shown code").textContent()) ?? "";
    expect((await server.get("/v1/endpoints", { authorization: made })).json.code).toBe("KEY_NOT_ALLOWED");
    await press("Done");
    expect(await page.content()).not.toContain(made);
    await press("Rotate shop");
    await page.getByLabel("The old key").selectOption("0");
    await press("Create key");
    await page.locator(".key-shown code").waitFor();
    expect((await server.get("/v1/endpoints", { authorization: made })).json.code).toBe("KEY_UNKNOWN");
    await press("Revoke shop");
    await press("Revoke key");
    await shown("shop is revoked.");
  });

  test("makes an account", async () => {
    const { page, press, follow } = person;
    await follow("Accounts");
    await press("New account");
    await page.getByLabel("Name").fill("vision");
    await press("Create account");
    await page.getByRole("rowheader", { name: "vision" }).waitFor();
  });
});
