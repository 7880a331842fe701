import type { WorkerEvent } from "../../dev/fresh-worker.ts";
import { CommandFault } from "../command-fault.ts";
import { brokenSentence, type HandlerFile, projectDirectory } from "./find-handler.ts";
import { handlerServer } from "./handler-server.ts";
import { showEnd } from "./finished-job.ts";
import { showProgress } from "./show-progress.ts";
import { showWaiting } from "./show-waiting.ts";
import { type Terminal, terminalOn } from "./terminal.ts";
import { stopSignal } from "../process-end.ts";
import { watchSources } from "./watch-sources.ts";
import { welcome } from "./welcome.ts";

/**
 * Serves a handler and reloads it whenever its code changes, until a signal stops it. Returns the exit code.
 * Throws CommandFault if the port is taken, or if the first start of the handler fails.
 */
export async function serveHandler(handler: HandlerFile, port: string | undefined): Promise<number> {
  const terminal = terminalOn(process.stdout);
  const { promise: firstStart, resolve: began, reject: failed } = Promise.withResolvers<"ready">();
  let hasBegun = false;
  const onWorker = (event: WorkerEvent): void => {
    if (hasBegun) showEvent(handler, event, terminal);
    else if (event.kind === "broken") failed(new CommandFault(brokenSentence(handler, event.how)));
    else began("ready");
    hasBegun = true;
  };
  // Shows jobs one after the other, in the order in which they ended.
  let shown = Promise.resolve();
  const progress = showProgress(() => server, handler.endpoint, terminal);
  const waiting = showWaiting(() => server, handler.endpoint, terminal);
  const onJobQueued = waiting.queued;
  const onJobStart = (job: string): void => {
    waiting.left(job);
    progress.begun(job);
  };
  const onJobEnd = (job: string): void => {
    waiting.left(job);
    progress.ended(job);
    shown = shown.then(() => showEnd(server, handler.endpoint, job, terminal));
  };
  const server = await handlerServer({
    handler,
    port,
    terminal,
    onWorker,
    onJobQueued,
    onJobStart,
    onJobEnd,
  });
  const stopped = stopSignal(server.kill);
  const watch = watchSources(projectDirectory(handler.path), server.clock, (names) => {
    terminal.line(terminal.paint("dim", `${names.join(", ")} changed: reloading`));
    server.reload();
  });
  try {
    const isReady = (await Promise.race([firstStart, stopped])) === "ready";
    if (isReady) terminal.line(welcome(handler, server, terminal));
    await stopped;
    terminal.line(terminal.paint("dim", "stopping; again to stop at once"));
  } finally {
    watch.close();
    // Shows the jobs that have ended while the server still answers.
    await shown;
    await server.stop();
    await shown;
  }
  return 0;
}

function showEvent(handler: HandlerFile, event: WorkerEvent, { line, paint }: Terminal): void {
  switch (event.kind) {
    case "ready":
      line(paint("dim", "ready"));
      break;
    case "crashed":
      line(paint("red", `the worker exited (${event.how}); starting another one`));
      break;
    case "broken":
      line(paint("red", `${brokenSentence(handler, event.how)} Waiting for the next change.`));
      break;
  }
}
