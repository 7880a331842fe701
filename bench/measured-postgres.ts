import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres-server.ts";
import { atExit } from "./at-exit.ts";
import type { Measured } from "./contestant.ts";

export interface MeasuredPostgres extends Measured {
  /** The address of its empty database. */
  readonly url: string;
}

/** A PostgreSQL with the settings of its package, in a directory of its own. */
export async function startMeasuredPostgres(): Promise<MeasuredPostgres> {
  const server = await startPostgres([], tmpdir());
  const takeBack = atExit(() => {
    server.stop("immediate");
    rmSync(server.directory, { recursive: true, force: true });
  });
  const { url } = await server.lendDatabase();
  const [postmaster = ""] = readFileSync(join(server.directory, "data/postmaster.pid"), "utf8").split("\n");
  const processes = () => [postmaster, ...childrenOf(postmaster)];
  return {
    url,
    // What has ended counts for the postmaster.
    cpu: () => processes().reduce((sum, pid) => sum + cpuOf(pid), 0),
    memory: () => processes().reduce((sum, pid) => sum + memoryOf(pid), 0),
    async stop() {
      takeBack();
      await server[Symbol.asyncDispose]();
    },
  };
}

function childrenOf(parent: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && statOf(pid)[1] === parent);
}

/** The fields of proc(5) behind the name of the program; none when the process has ended meanwhile. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}

/** CPU time so far with that of ended children, in microseconds. */
function cpuOf(pid: string): number {
  const ticks = statOf(pid).slice(11, 15).map(Number);
  return ticks.reduce((sum, ticksOfOne) => sum + ticksOfOne, 0) * 10_000;
}

/** MB, with its share of what several processes have in common. */
function memoryOf(pid: string): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
