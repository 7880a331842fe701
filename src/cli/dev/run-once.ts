import type { WorkerEvent } from "../../dev/fresh-worker.ts";
import type { DevServer } from "../../dev/start-dev-server.ts";
import { brokenSentence, type HandlerFile } from "./find-handler.ts";
import { CommandFault } from "../command-fault.ts";
import { type FinishedJob, finishedJob, jobLines } from "./finished-job.ts";
import { handlerServer } from "./handler-server.ts";
import { serverText } from "../server-call.ts";
import { showProgress } from "./show-progress.ts";
import { terminalOn } from "./terminal.ts";
import { stopSignal } from "../process-end.ts";

/**
 * Runs one job of a handler. The output goes to the standard output as JSON, everything else to the standard
 * error. Returns the exit code: 0 if the job is COMPLETED, 1 if not, 130 if it was interrupted. Throws
 * CommandFault if the handler cannot be started.
 */
export async function runOnce(handler: HandlerFile, input: string, port = "0"): Promise<number> {
  const terminal = terminalOn(process.stderr);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const onWorker = (event: WorkerEvent): void => {
    if (event.kind === "broken") reject(new CommandFault(brokenSentence(handler, event.how)));
  };
  const progress = showProgress(() => server, handler.endpoint, terminal);
  const server = await handlerServer({
    handler,
    port,
    terminal,
    onWorker,
    onJobQueued: () => undefined,
    onJobStart: progress.begun,
    onJobEnd: progress.ended,
  });
  const stopped = stopSignal(server.kill).then(() => undefined);
  try {
    const job = await Promise.race([jobOf(server, handler.endpoint, input), broken, stopped]);
    if (job === undefined) return 130;
    for (const line of jobLines(job, server.clock.now(), terminal)) terminal.line(line);
    if (job.status !== "COMPLETED") return 1;
    await written(`${JSON.stringify(job.output ?? null)}\n`);
    return 0;
  } finally {
    await server.stop();
  }
}

/** The reader of the output can be slow, and the process is about to exit. */
function written(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/** The longest hold of one call, ms. A longer job is asked for again. */
const WAIT = 300_000;

async function jobOf(server: DevServer, endpoint: string, input: string): Promise<FinishedJob> {
  const access = { server: server.url, key: server.key };
  const submission = { body: `{"input":${input}}`, hold: WAIT };
  let record = JSON.parse(await serverText(access, `/v2/${endpoint}/runsync?wait=${WAIT}`, submission));
  while (["IN_QUEUE", "IN_PROGRESS"].includes(record.status)) {
    const path = `/v2/${endpoint}/status-sync/${record.id}?wait=${WAIT}`;
    record = JSON.parse(await serverText(access, path, { hold: WAIT }));
  }
  return finishedJob(server, endpoint, record.id);
}
