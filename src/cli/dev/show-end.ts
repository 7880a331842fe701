import { ForebayError } from "@forebay/worker/client";
import type { DevServer } from "../../dev/start-dev-server.ts";
import { finishedJob } from "./finished-job.ts";
import { jobLines } from "./job-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Shows a job that has ended. That it cannot be read any more is told, and is no fault. */
export async function showEnd(
  server: Pick<DevServer, "url" | "key" | "clock">,
  endpoint: string,
  id: string,
  terminal: Terminal,
): Promise<void> {
  try {
    const job = await finishedJob(server, endpoint, id);
    for (const line of jobLines(job, server.clock.now(), terminal)) terminal.line(line);
  } catch (error) {
    if (!(error instanceof ForebayError)) throw error;
    // Its record has gone, or the server has, before it could be shown.
    terminal.line(terminal.paint("yellow", `job ${id} ended: ${error.message}`));
  }
}
