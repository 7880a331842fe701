import type { Slots } from "./slots.ts";

/**
 * Says whether the worker may take jobs. It is closed while something that the worker needs is away. Running
 * jobs continue. A job that was already on its way still arrives.
 */
export interface Gate {
  readonly isOpen: boolean;
  /** Calls `listener` whenever the gate has opened or closed. */
  readonly onChange: (listener: () => void) => void;
}

/** How many jobs a worker takes, and when. */
export interface Taking {
  readonly slots: Slots;
  readonly gate: Gate;
}

/** The gate of a worker without one. */
export const ALWAYS_OPEN: Gate = { isOpen: true, onChange: () => undefined };
