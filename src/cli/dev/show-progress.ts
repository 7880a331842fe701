import { ForebayError } from "@forebay/worker/client";
import type { DevServer } from "../../dev/start-dev-server.ts";
import { visibleLine } from "../../domain/visible-text.ts";
import { callServer } from "../server-call.ts";
import type { Terminal } from "./terminal.ts";

/** Between two looks at the running jobs, ms. */
const LOOK = 250;

/** How many characters of a progress value are shown. */
const ROOM = 200;

/** Shows the progress that handlers report. */
export interface ShownProgress {
  begun(job: string): void;
  ended(job: string): void;
}

/** Prints a line for each progress value that is new. */
export function showProgress(
  server: () => Pick<DevServer, "url" | "key" | "clock">,
  endpoint: string,
  terminal: Terminal,
): ShownProgress {
  /** The last value that was shown, as JSON, by job. */
  const running = new Map<string, string | undefined>();
  let isLooking = false;

  async function lookAtAll(): Promise<void> {
    for (const job of running.keys()) await lookAt(job);
    isLooking = false;
    lookLater();
  }

  async function lookAt(job: string): Promise<void> {
    const { url, key, clock } = server();
    const value = await progressOf({ server: url, key }, endpoint, job);
    if (value === undefined || !running.has(job) || running.get(job) === value) return;
    running.set(job, value);
    const time = new Date(clock.now()).toTimeString().slice(0, 8);
    const most = (terminal.columns ?? ROOM) - `${time} PROGRESS ${job} `.length;
    const shown = visibleLine(value);
    const text = shown.length <= most ? shown : `${shown.slice(0, Math.max(0, most - 1))}…`;
    terminal.line(`${terminal.paint("dim", time)} ${terminal.paint("bold", "PROGRESS")} ${job} ${text}`);
  }

  function lookLater(): void {
    if (isLooking || running.size === 0) return;
    isLooking = true;
    server().clock.after(LOOK, () => void lookAtAll());
  }

  return {
    begun(job) {
      if (!running.has(job)) running.set(job, undefined);
      lookLater();
    },
    ended: (job) => void running.delete(job),
  };
}

/** As JSON; undefined if there is none, or if the job or the server is gone. */
async function progressOf(
  access: { readonly server: string; readonly key: string },
  endpoint: string,
  job: string,
): Promise<string | undefined> {
  try {
    const path = `/v1/endpoints/${endpoint}/jobs/${job}`;
    const { progress } = await callServer<{ readonly progress?: unknown }>(access, path, '{"id":');
    return progress === undefined ? undefined : JSON.stringify(progress);
  } catch (error) {
    if (error instanceof ForebayError) return undefined;
    throw error;
  }
}
