import type { WorkerIdentity } from "../domain/worker.ts";
import type { Signal } from "../store/signals.ts";

export type WorkerName = Pick<WorkerIdentity, "endpoint" | "id">;

/** So many keys are kept at most. */
const KEYS_LIMIT = 10_000;

/** By endpoint and id. */
const keys = new Map<string, Map<string, string>>();
let kept = 0;

/**
 * Names the worker in the maps of this server. Each call looks into several maps, so the text is created
 * once: a map must hash each new text.
 */
export function workerKey({ endpoint, id }: WorkerName): string {
  const known = keys.get(endpoint)?.get(id);
  if (known !== undefined) return known;
  if (++kept > KEYS_LIMIT) {
    keys.clear();
    kept = 1;
  }
  const key = `${endpoint}/${id}`;
  const onEndpoint = keys.get(endpoint) ?? new Map();
  keys.set(endpoint, onEndpoint.set(id, key));
  return key;
}

/** Which workers ping. */
export interface Pings {
  /** Of workers that share a token, whether they have pinged this server. */
  readonly hasPinged: Map<string, boolean>;
}

/**
 * Whether the worker has no leases: it shares its token and has not pinged this server. If it has pinged
 * another one, its row says so and its lease counts; it only misses delivery leases here.
 */
export function isSilent(engine: Pings, endpoint: string, worker: string): boolean {
  return engine.hasPinged.get(workerKey({ endpoint, id: worker })) === false;
}

/**
 * How many jobs each worker runs, by the signals that this server has seen. Decides who gets the next job.
 */
export interface WorkerLoad {
  of(endpoint: string, worker: string): number;
  follow(signal: Signal): void;
}

export function workerLoad(): WorkerLoad {
  const loads = new Map<string, number>();

  function change(key: string, by: number): void {
    const load = (loads.get(key) ?? 0) + by;
    if (load > 0) loads.set(key, load);
    else loads.delete(key);
  }

  return {
    of: (endpoint, worker) => loads.get(workerKey({ endpoint, id: worker })) ?? 0,

    follow({ event, endpoint, worker }) {
      if (worker === undefined || event === "append") return;
      change(workerKey({ endpoint, id: worker }), event === "take" ? 1 : -1);
    },
  };
}
