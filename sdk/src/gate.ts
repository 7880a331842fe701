import type { Slots } from "./slots.ts";

/**
 * Says whether the worker may take jobs: closed while something that it needs is away. Jobs that run go on;
 * one that was on its way when the gate closed still comes.
 */
export interface Gate {
  readonly isOpen: boolean;
  /** Has `listener` called whenever the gate has opened or closed. */
  readonly onChange: (listener: () => void) => void;
}

/** How many jobs a worker takes, and when. */
export interface Taking {
  readonly slots: Slots;
  readonly gate: Gate;
}

/** The gate of a worker that has none. */
export const ALWAYS_OPEN: Gate = { isOpen: true, onChange: () => undefined };
