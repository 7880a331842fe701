/** Pages whose blocks cannot run yet. This list only shrinks, and is empty in the end. */
export const NOT_YET: readonly string[] = [
  "docs/worker-protocol.md",
];
