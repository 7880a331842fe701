import type { DevServer } from "../../dev/start-dev-server.ts";
import { SILENT_WAIT, waitingLines, waitReasonOf } from "../queue/waiting-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Says why jobs wait. */
interface ShownWaiting {
  queued(job: string): void;
  /** It runs, or has ended. */
  left(job: string): void;
}

/** The worker is not there. That it is busy, the other lines show. */
const SHOWN: ReadonlySet<string> = new Set(["CRASH_LOOP", "STARTING_WORKERS", "NO_WORKERS", "PAUSED"]);

/** Prints why a job waits that was not handed out at once. */
export function showWaiting(
  server: () => Pick<DevServer, "url" | "key" | "clock">,
  endpoint: string,
  terminal: Terminal,
): ShownWaiting {
  const waiting = new Set<string>();

  async function explain(job: string): Promise<void> {
    if (!waiting.delete(job)) return;
    const { url, key } = server();
    const reason = await waitReasonOf({ server: url, key }, endpoint, job);
    if (reason === undefined || !SHOWN.has(reason.code)) return;
    const [message = "", ...rest] = waitingLines(reason);
    terminal.line(`${terminal.paint("yellow", "WAITS")} ${job} ${message}`);
    for (const line of rest) terminal.line(terminal.paint("dim", line));
  }

  return {
    queued(job) {
      waiting.add(job);
      server().clock.after(SILENT_WAIT, () => void explain(job));
    },
    left: (job) => void waiting.delete(job),
  };
}
