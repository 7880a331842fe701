import type { Signal } from "../store/store.ts";

/**
 * How many jobs each worker runs, as far as the signals of this server tell. Decides who gets the next job.
 */
export interface WorkerLoad {
  of(endpoint: string, worker: string): number;
  follow(signal: Signal): void;
}

export function workerLoad(): WorkerLoad {
  const loads = new Map<string, number>();

  function change(endpoint: string, worker: string, by: number): void {
    const key = `${endpoint}/${worker}`;
    const load = (loads.get(key) ?? 0) + by;
    if (load > 0) loads.set(key, load);
    else loads.delete(key);
  }

  return {
    of: (endpoint, worker) => loads.get(`${endpoint}/${worker}`) ?? 0,

    follow({ event, endpoint, worker }) {
      if (worker === undefined || event === "append") return;
      change(endpoint, worker, event === "take" ? 1 : -1);
    },
  };
}
