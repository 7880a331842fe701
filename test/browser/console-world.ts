import type { Browser, BrowserContext, Page } from "playwright-core";
import { ManualClock } from "../support/manual-clock.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

export const WIDE = { width: 1_280, height: 860 };
export const PHONE = { width: 360, height: 780 };

/** ms. */
const QUARTER = 900_000;

const README = `# Chat

Answers messages with a small language model, **word by word**.

| input | |
|---|---|
| \`prompt\` | what to answer |
| \`temperature\` | 0 to 2; 0.7 without it |

\`\`\`json
{ "input": { "prompt": "Why is the sky blue?" } }
\`\`\`

The model comes from [its page](https://models.example/small).
`;

/** As the public Python SDK sends an exception. */
const EXCEPTION = JSON.stringify({
  error_type: "<class 'ValueError'>",
  error_message: "prompt: must not be empty",
  error_traceback: `Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job
    handler_return = handler(job)
                     ^^^^^^^^^^^^
  File "/app/handler.py", line 31, in handler
    prompt = checked(job["input"])
             ^^^^^^^^^^^^^^^^^^^^^
  File "/app/checks.py", line 12, in checked
    raise ValueError("prompt: must not be empty")
ValueError: prompt: must not be empty
`,
});

/** A server with something to see on every page. */
export interface ConsoleWorld {
  readonly server: TestServer;
  readonly chat: string;
  /** One that Forebay starts workers for, in mid release. */
  readonly thumbnails: string;
  readonly template: string;
  /** Its jobs, by what became of them. */
  readonly jobs: Readonly<Record<"completed" | "failed" | "streaming", string>>;
  readonly worker: TestWorker;
}

/** Fills a server by its public API, as clients and workers do. */
export async function consoleWorld(): Promise<ConsoleWorld> {
  // Its time is the test's: a quarter of an hour passes in a moment, and then stands still.
  const clock = new ManualClock(Date.now() - QUARTER);
  const server = await TestServer.start({ clock });
  const login = { name: "team registry", username: "team-bot", password: "read-only" };
  const containerRegistryAuthId = (await server.post("/v1/containerregistryauth", login)).json.id;
  await server.post("/v1/containerregistryauth", { ...login, name: "ghcr" });
  const imageName = "registry.example.com/team/chat:1.4";
  const image = { imageName, readme: README, containerRegistryAuthId };
  const env = { MODEL: "small", MAX_TOKENS: "512" };
  const { json } = await server.post("/v1/templates", {
    name: "chat-small",
    ...image,
    env,
    isServerless: true,
  });
  await server.post("/v1/templates", {
    name: "transcribe",
    imageName: "ghcr.io/example/whisper:3",
    isPublic: true,
  });
  const small = { name: "thumbnails", imageName: "process/hello", category: "CPU" };
  const templateId = (await server.post("/v1/templates", small)).json.id;
  // The window in which lists are counted stands still as well.
  const rateLimits = { run: { requests: 5_000 }, requests: { requests: 1_000 } };
  const webhookHeaders = { "X-Team": "chat" };
  const chat = await server.endpoint({ name: "chat", rateLimits, webhookHeaders });
  await server.endpoint({ name: "transcribe" });
  const thumbnails = await server.endpoint({ name: "thumbnails", isPaused: true, templateId });
  await server.call("PATCH", `/v1/templates/${templateId}`, { env: { SIZE: "256" } });
  const worker = await server.worker(chat);
  await history(server, clock, worker, chat);
  const done = jobsDone(server, clock, worker, chat);
  const answer = {
    text: "Blue light is scattered most.",
    tokens: { prompt: 7, completion: 6 },
    finish: "stop",
  };
  const completed = await done({ prompt: "Why is the sky blue?" }, { output: answer });
  for (const prompt of ["Name three rivers.", "What is a forebay?", "Say hello."]) {
    await done({ prompt }, { output: { text: "…" } });
  }
  const failed = await done({ prompt: "" }, { error: EXCEPTION });
  const streaming = await server.run(chat, { prompt: "Tell me of the sea." });
  await worker.take();
  for (const text of ["The sea ", "is wide, ", "and the light ", "goes down "]) {
    await worker.stream(streaming, { output: text });
  }
  await server.run(chat, { prompt: "Wait for your turn." });
  await server.post("/v1/keys", { name: "web shop", scopes: ["write"], endpoints: [chat] });
  await server.post("/v1/keys", { name: "dashboard", scopes: ["read"] });
  await server.post("/v1/accounts", { name: "vision" });
  return { server, chat, thumbnails, template: json.id, jobs: { completed, failed, streaming }, worker };
}

/** Jobs over a quarter of an hour, more of them in its middle, a few that fail. */
async function history(
  server: TestServer,
  clock: ManualClock,
  worker: TestWorker,
  endpoint: string,
): Promise<void> {
  const slots = 60;
  for (let slot = 0; slot < slots; slot++) {
    const jobs = 1 + Math.round(3 * Math.sin((Math.PI * slot) / slots) + (slot % 3) / 2);
    const ids = [];
    for (let job = 0; job < jobs; job++) ids.push(await server.run(endpoint, { prompt: `${slot}.${job}` }));
    for (const [job, id] of ids.entries()) {
      await clock.advance(150 + ((slot * 37) % 400));
      await worker.take();
      await clock.advance(700 + ((slot * 61 + job * 211) % 900));
      await worker.done(id, (slot + job) % 17 === 5 ? { error: "out of memory" } : { output: { text: "…" } });
    }
    const end = Date.now() - QUARTER + ((slot + 1) * QUARTER) / slots;
    await clock.advance(Math.max(0, Math.round(end - clock.now())));
  }
}

/** Runs jobs to their ends, in a time that can be seen. */
function jobsDone(server: TestServer, clock: ManualClock, worker: TestWorker, endpoint: string) {
  const webhook = "https://hooks.example.com/jobs";
  return async (input: unknown, result: unknown): Promise<string> => {
    const id = await server.run(endpoint, input, { webhook });
    await clock.advance(240);
    await worker.take();
    await clock.advance(960);
    await worker.done(id, result);
    return id;
  };
}

/** A page of the console, and what went wrong in it: refusals of its policy, errors, calls to elsewhere. */
export interface OpenedConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: string[];
}

type ContextOptions = Parameters<Browser["newContext"]>[0];

/** Opens the console and signs in with a key, the operator's unless `key` is another. */
export async function openConsole(
  browser: Browser,
  server: TestServer,
  options: ContextOptions & { key?: string } = {},
): Promise<OpenedConsole> {
  const { key = TEST_KEY, ...rest } = options;
  const context = await browser.newContext({ viewport: WIDE, ...rest });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isRefusal) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(server.url) || request.url().startsWith("data:");
    if (!isOurs) faults.push(`asked ${request.url()}`);
  });
  await page.goto(`${server.url}/console`);
  await signIn(page, key);
  return { page, context, faults };
}

/** Fills in the form, and waits for what comes behind it. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** Goes to a place of the console; `shown` is a text that is there when the page is. */
export async function goToPlace(page: Page, place: string, shown: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await page.getByText(shown, { exact: false }).first().waitFor();
}
