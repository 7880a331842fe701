import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { readOutput } from "./worker-output.ts";

/** How long the last output of a worker that has ended may take to come, ms. */
const LAST_OUTPUT = 2_000;

/** Writes what the containers of workers print to the log, as long as they run. */
export function followOutput(engine: DockerEngine, clock: Clock, log: Log) {
  const followed = new Map<string, Promise<void>>();
  const ending = new AbortController();

  async function read(worker: string, container: string, which: "all" | "new"): Promise<void> {
    const query = { follow: "1", stdout: "1", stderr: "1", tail: which === "all" ? "all" : "0" };
    const { signal } = ending;
    try {
      const answer = await engine.open({
        method: "GET",
        path: `/containers/${container}/logs`,
        query,
        signal,
      });
      await readOutput(answer, (stream, line) => log.info("worker output", { worker, stream, line }));
    } catch (error) {
      // It has ended meanwhile, or the engine is away: who finds it running asks again.
      if (!(error instanceof EngineFault)) throw error;
    }
  }

  return {
    /** From the first line on, or from now on; nothing when it is followed already. */
    follow(worker: string, container: string, which: "all" | "new"): void {
      if (followed.has(worker) || ending.signal.aborted) return;
      followed.set(
        worker,
        read(worker, container, which).finally(() => followed.delete(worker)),
      );
    },

    /** Resolves when all that the worker has printed is written, or does not come any more. */
    async read(worker: string): Promise<void> {
      const end = followed.get(worker);
      if (end === undefined) return;
      let cancel = (): void => undefined;
      const limit = new Promise<void>((resolve) => {
        cancel = clock.after(LAST_OUTPUT, resolve);
      });
      await Promise.race([end, limit]);
      cancel();
    },

    close(): void {
      ending.abort();
    },
  };
}
