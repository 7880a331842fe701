import type { Page } from "playwright-core";
import type { ConsoleWorld } from "./console-world.ts";
import type { GpuWorld } from "./gpu-world.ts";

/** A page of the console. */
export interface Place<World> {
  readonly name: string;
  readonly path: (world: World) => string;
  /** A text that is there when the page is. */
  readonly shown: string;
  /** What a person does there first. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Every page, as `ConsoleWorld` fills it. */
export const PLACES: readonly Place<ConsoleWorld>[] = [
  { name: "overview", path: () => "", shown: "thumbnails" },
  { name: "jobs", path: () => "jobs", shown: "Say hello." },
  { name: "jobs-filtered", path: () => "jobs?state=FAILED&error=memory", shown: "Clear filters" },
  { name: "endpoint", path: ({ chat }) => `endpoints/${chat}/jobs`, shown: "Say hello." },
  { name: "figures", path: ({ chat }) => `endpoints/${chat}`, shown: "Ended per minute" },
  { name: "workers", path: ({ chat }) => `endpoints/${chat}/workers`, shown: "started by you" },
  { name: "releases", path: ({ thumbnails }) => `endpoints/${thumbnails}/releases`, shown: "rolling" },
  { name: "webhooks", path: ({ chat }) => `endpoints/${chat}/webhooks`, shown: "hooks.example.com" },
  {
    name: "webhooks-again",
    path: ({ chat }) => `endpoints/${chat}/webhooks`,
    shown: "hooks.example.com",
    async act(page) {
      await page.getByLabel("State").selectOption("PENDING");
      await page.getByRole("button", { name: "Resend webhooks" }).click();
      await page.getByText("5 webhooks are sent again.").waitFor();
    },
  },
  { name: "settings", path: ({ chat }) => `endpoints/${chat}/settings`, shown: "Execution timeout" },
  {
    name: "limits",
    path: ({ chat }) => `endpoints/${chat}/settings`,
    shown: "Execution timeout",
    async act(page) {
      await page.evaluate("document.querySelector('.limits').scrollIntoView({ block: 'center' })");
    },
  },
  { name: "new-endpoint", path: () => "endpoints/new", shown: "Create endpoint" },
  { name: "job", path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.completed}`, shown: "scattered" },
  {
    name: "job-failed",
    path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.failed}`,
    shown: "must not be",
  },
  {
    name: "job-stream",
    path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.streaming}`,
    shown: "The sea",
  },
  { name: "run", path: ({ chat }) => `run/${chat}`, shown: "A request becomes a job" },
  { name: "templates", path: ({ template }) => `templates/${template}`, shown: "word by word" },
  { name: "template-form", path: ({ template }) => `templates/${template}/edit`, shown: "Entrypoint" },
  { name: "registry-logins", path: () => "templates/registry-logins", shown: "chat-small" },
  {
    name: "new-registry-login",
    path: () => "templates/registry-logins",
    shown: "chat-small",
    async act(page) {
      await page.getByRole("button", { name: "New registry login" }).click();
      await page.getByRole("dialog", { name: "New registry login" }).waitFor();
    },
  },
  { name: "keys", path: () => "keys", shown: "web shop" },
  { name: "accounts", path: () => "accounts", shown: "vision" },
  {
    name: "search",
    path: () => "templates",
    shown: "New template",
    async act(page) {
      await page.keyboard.press("/");
      await page.keyboard.type("memory");
      await page.getByText("Jobs with the error “out of memory”").waitFor();
    },
  },
];

/** The pages about hosts and their GPUs, as `GpuWorld` fills them. */
export const GPU_PLACES: readonly Place<GpuWorld>[] = [
  { name: "hosts", path: () => "hosts", shown: "5 of 8 in use" },
  {
    name: "new-host",
    path: () => "hosts",
    shown: "5 of 8 in use",
    async act(page) {
      await page.getByRole("button", { name: "New host" }).click();
      await page.getByRole("dialog", { name: "New host" }).waitFor();
    },
  },
  { name: "host", path: () => "hosts/local", shown: "embeddings" },
  {
    name: "job-no-room",
    path: ({ waiting }) => `endpoints/${waiting.endpoint}/jobs/${waiting.job}`,
    shown: "local has 2 of 7",
  },
];
