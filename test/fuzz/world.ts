import type { SeededRandom } from "../crash/seeded-random.ts";

/** A worker as its calls name it. */
export interface KnownWorker {
  readonly endpoint: string;
  readonly id: string;
  readonly token: string;
}

/** What is known of one endpoint: all that was ever acknowledged there. */
export interface KnownEndpoint {
  readonly id: string;
  /**
   * Whether it stays for the whole run, with all records: what is asked of it must be answered as documented,
   * and its counters must be right at the end. The others come and go.
   */
  readonly isKept: boolean;
  /** Whether its queue may be purged: what waits elsewhere can be found at any time. */
  readonly isPurged: boolean;
  /** Whether it has live workers, so that no job waits for long. */
  readonly isServed: boolean;
  /** Every job that any answer has named. */
  readonly jobs: Set<string>;
  /** The newest of these. */
  readonly recent: string[];
  /** Webhooks that a list has named last. */
  deliveries: readonly string[];
  readonly workers: KnownWorker[];
  /** Jobs that a call of the fuzzer has taken, and not reported yet. */
  readonly taken: { readonly worker: KnownWorker; readonly job: string; readonly attempt: number }[];
  /** Retries that were acknowledged. */
  retries: number;
  /** Jobs that were removed, by what purge-queue said. */
  removed: number;
  /** Submissions whose answer nobody waited for: each may have made a job that nobody knows. */
  unanswered: number;
}

const RECENT = 60;

/** Everything that requests can name. */
export class World {
  readonly endpoints: KnownEndpoint[] = [];
  /** Endpoints that are gone, with their jobs and tokens. */
  readonly gone: KnownEndpoint[] = [];
  /** The endpoint whose worker answers calls of models; nothing of it is counted. */
  models = "";
  /** Ids of templates; the first one stays, and endpoints are made of it. */
  readonly templates: string[] = [];
  /** Ids of registry logins; the first one stays. */
  readonly registryLogins: string[] = [];
  /** Job operations that began last. */
  operations: readonly string[] = [];
  /** Ids of keys; the first one stays. */
  readonly keys: string[] = [];
  /** Inputs by the id of their job, as they were sent. */
  readonly inputs = new Map<string, string>();

  add(
    id: string,
    kind: Partial<Pick<KnownEndpoint, "isKept" | "isPurged" | "isServed">> = {},
  ): KnownEndpoint {
    const endpoint: KnownEndpoint = {
      id,
      isKept: false,
      isPurged: true,
      isServed: false,
      ...kind,
      jobs: new Set(),
      recent: [],
      deliveries: [],
      workers: [],
      taken: [],
      retries: 0,
      removed: 0,
      unanswered: 0,
    };
    this.endpoints.push(endpoint);
    return endpoint;
  }

  /** An endpoint that stays. */
  kept(random: SeededRandom): KnownEndpoint {
    return pickOf(
      random,
      this.endpoints.filter(({ isKept }) => isKept),
    );
  }

  any(random: SeededRandom): KnownEndpoint {
    return pickOf(random, this.endpoints);
  }

  find(id: string): KnownEndpoint | undefined {
    return this.endpoints.find((endpoint) => endpoint.id === id);
  }

  remove(endpoint: KnownEndpoint): void {
    const index = this.endpoints.indexOf(endpoint);
    if (index !== -1) this.endpoints.splice(index, 1);
    this.gone.push(endpoint);
  }
}

/** An answer has named this job. */
export function sawJob(endpoint: KnownEndpoint, id: string): void {
  if (endpoint.jobs.has(id)) return;
  endpoint.jobs.add(id);
  endpoint.recent.push(id);
  if (endpoint.recent.length > RECENT) endpoint.recent.shift();
}

/** One of these, of which there must be one. */
export function pickOf<Value>(random: SeededRandom, values: readonly Value[]): Value {
  const value = values[random.integer(0, values.length - 1)];
  if (value === undefined) throw new Error("there is nothing to pick from");
  return value;
}
