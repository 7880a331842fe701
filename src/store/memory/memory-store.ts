import { ForebayError } from "../../domain/errors.ts";
import { isStored, type Payload } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import { type Signal, signalsForOthers } from "../signals.ts";
import type { Answers, Step } from "../steps.ts";
import type { Store } from "../store.ts";
import { groupCommit } from "./group-commit.ts";
import type { Member, MemoryDatabase } from "./memory-database.ts";
import { readJobs } from "./read-jobs.ts";
import { readRecords } from "./read-records.ts";
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
  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  /** Payloads that this server has written and that none of its steps has named, by their files. */
  const unnamed = new Map<string, Payload>();
  const own: Member = {
    server: sharing?.server ?? "",
    hear: (signals) => listener?.(signals, false),
  };
  members.add(own);

  const group = groupCommit({
    database,
    schedule,
    onCommitted(signals) {
      listener?.(signals, true);
      tellOthers(signals);
    },
    onCommit,
    onTransaction,
  });

  function tellOthers(signals: readonly Signal[]): void {
    if (members.size === 1) return;
    const told = signalsForOthers(signals);
    if (told.length === 0) return;
    for (const member of members) {
      if (member === own) continue;
      // Who has left meanwhile hears nothing.
      const arrive = (): void => void (members.has(member) && member.hear(told));
      if (sharing?.carry === undefined) arrive();
      else sharing.carry(member.server, told, arrive);
    }
  }

  function discard(payload: Payload): void {
    if (isStored(payload)) unnamed.delete(payload.file);
    payloads.discard(payload);
  }

  return {
    shared: sharing && sharedData(database, sharing.time),
    backup: undefined,

    async apply<const Steps extends readonly Step[]>(steps: Steps, now: number) {
      const named = unnamed.size === 0 ? [] : steps.flatMap(namedBy).filter(isStored);
      try {
        const answers = await group.apply(steps, now);
        for (const { file } of named) unnamed.delete(file);
        // The answers stand in the order of their steps; a list cannot tell the compiler so.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return answers as unknown as Answers<Steps>;
      } catch (error) {
        const isFull = error instanceof ForebayError && error.code === "STORAGE_FULL";
        if (isFull) for (const payload of named) discard(payload);
        throw error;
      }
    },

    ...readJobs(database),
    ...readRecords(database),

    writePayload(bytes) {
      const payload = payloads.write(bytes, database.latestTime);
      if (isStored(payload)) unnamed.set(payload.file, payload);
      return payload;
    },

    readPayload: async (payload) => payloads.read(payload),

    discardPayload: async (payload) => discard(payload),

    async releaseSpace() {
      // Nothing is kept for later use.
    },

    size: async () => undefined,

    onSignals(added) {
      listener = added;
    },

    async close() {
      await group.close();
      members.delete(own);
      for (const payload of unnamed.values()) payloads.discard(payload);
    },

    crash() {
      group.crash();
      members.delete(own);
    },
  };
}
