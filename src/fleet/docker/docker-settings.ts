/** What the operator says of the containers that run workers. */
export interface DockerSettings {
  /** The network of all workers, `host` and `none` too; empty: that of the engine. */
  readonly network: string;
  /** User, or user and group, of all workers; empty: as the image says. */
  readonly user: string;
  /** What a worker may use at most, bytes; 0: nine tenths of the memory of the engine's machine. */
  readonly memory: number;
  /** Cores that a worker may use at most; 0: all. */
  readonly cpus: number;
  /** Processes and threads that a worker may have at most. */
  readonly pids: number;
  /** Linux capabilities that workers keep, without `CAP_`; all others are dropped. */
  readonly capabilities: readonly string[];
  /** The address of the engine's machine where ports of workers are published, and are reached. */
  readonly publishAddress: string;
  /** First and last port that may be published. */
  readonly publishPorts: { readonly first: number; readonly last: number };
}
