import { ForebayError } from "../../domain/errors.ts";
import { isStored, type Payload } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import { type Signal, signalsForOthers } from "../signals.ts";
import type { Answers, Step } from "../steps.ts";
import type { Store } from "../store.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Member, MemoryDatabase } from "./memory-database.ts";
import type { MemoryPayloads } from "./payloads.ts";
import { readJobs } from "./read-jobs.ts";
import { readRecords } from "./read-records.ts";
import type { StepAnswer } from "./run-step.ts";
import { sharedData } from "./shared.ts";

export interface MemoryStoreOptions {
  readonly database: MemoryDatabase;
  /** Undefined: no other server works on the database. */
  readonly sharing?: MemorySharing | undefined;
  /** Runs the next commit later; by default in the next round of the event loop. */
  readonly schedule?: ((commit: () => void) => void) | undefined;
  /**
   * Called before and after each commit, for tests. If it throws before, all calls of the commit are undone
   * and refused with the error, as by a disk that fails.
   */
  readonly onCommit?: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction?: (() => (steps: number) => void) | undefined;
}

/** Several servers on one database. */
export interface MemorySharing {
  /** Names this server to `carry`. */
  readonly server: string;
  /** The time of the database, by which all its servers go. */
  readonly time: () => number;
  /** The network for the signals of this server; by default each arrives at once. */
  readonly carry?: Carry | undefined;
}

/** Signals of a commit on their way to another server; `arrive` delivers them, and may be called never. */
export type Carry = (to: string, signals: readonly Signal[], arrive: () => void) => void;

export interface MemoryStore extends Store {
  /**
   * The server is gone, the database stays as committed. Calls that are not committed never happen, and no
   * call gets an answer any more.
   */
  crash(): void;
}

/** A store in memory. The data lives as long as the database. */
export async function openMemoryStore(options: MemoryStoreOptions): Promise<MemoryStore> {
  const { database, sharing, onCommit, onTransaction } = options;
  const { schedule = (commit) => void setImmediate(commit) } = options;
  const { payloads, members } = database;
  const unnamed = new UnnamedPayloads(payloads);
  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const own: Member = {
    server: sharing?.server ?? "",
    hear: (signals) => listener?.(signals, false),
  };
  members.add(own);

  const group = new GroupCommit({
    database,
    schedule,
    onCommitted(signals) {
      listener?.(signals, true);
      notifyOthers(own, members, sharing?.carry, signals);
    },
    onCommit,
    onTransaction,
  });

  return {
    shared: sharing && sharedData(database, sharing.time),
    backup: undefined,

    apply<const Steps extends readonly Step[]>(steps: Steps, now: number) {
      // The answers stand in the order of their steps; a list cannot tell the compiler so.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return unnamed.during(steps, () => group.apply(steps, now)) as unknown as Promise<Answers<Steps>>;
    },

    ...readJobs(database),
    ...readRecords(database),

    writePayload: (bytes) => unnamed.write(bytes, database.latestTime),
    readPayload: async (payload) => payloads.read(payload),
    discardPayload: async (payload) => unnamed.discard(payload),

    // Nothing is kept for later use.
    releaseSpace: async () => undefined,
    size: async () => undefined,

    onSignals(added) {
      listener = added;
    },

    async close() {
      await group.close();
      members.delete(own);
      unnamed.discardAll();
    },

    crash() {
      group.crash();
      members.delete(own);
    },
  };
}

/** Brings what a commit of `own` has changed to the other members. */
function notifyOthers(
  own: Member,
  members: ReadonlySet<Member>,
  carry: Carry | undefined,
  signals: readonly Signal[],
): void {
  if (members.size === 1) return;
  const sent = signalsForOthers(signals);
  if (sent.length === 0) return;
  for (const member of members) {
    if (member === own) continue;
    // Who has left meanwhile hears nothing.
    const arrive = (): void => void (members.has(member) && member.hear(sent));
    if (carry === undefined) arrive();
    else carry(member.server, sent, arrive);
  }
}

/** Payloads that this server has written and that none of its steps has named, by their files. */
class UnnamedPayloads {
  readonly #payloads: MemoryPayloads;
  readonly #unnamed = new Map<string, Payload>();

  constructor(payloads: MemoryPayloads) {
    this.#payloads = payloads;
  }

  write(bytes: Uint8Array, now: number): Payload {
    const payload = this.#payloads.write(bytes, now);
    if (isStored(payload)) this.#unnamed.set(payload.file, payload);
    return payload;
  }

  /** Applies steps. If there is no room, the payloads that they name go. */
  async during(steps: readonly Step[], apply: () => Promise<StepAnswer[]>): Promise<StepAnswer[]> {
    const named = this.#unnamed.size === 0 ? [] : steps.flatMap(namedBy).filter(isStored);
    try {
      const answers = await apply();
      for (const { file } of named) this.#unnamed.delete(file);
      return answers;
    } catch (error) {
      const isFull = error instanceof ForebayError && error.code === "STORAGE_FULL";
      if (isFull) for (const payload of named) this.discard(payload);
      throw error;
    }
  }

  discard(payload: Payload): void {
    if (isStored(payload)) this.#unnamed.delete(payload.file);
    this.#payloads.discard(payload);
  }

  discardAll(): void {
    for (const payload of this.#unnamed.values()) this.#payloads.discard(payload);
  }
}
