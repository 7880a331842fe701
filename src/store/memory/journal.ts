/** How to undo what the steps since the last commit have changed. */
export interface Journal {
  /** So many changes were noted so far. */
  readonly length: number;
  /** Notes how to undo a change that was just made. */
  note(undo: () => void): void;
  /** Undoes the changes behind the first `length`, the last one first. */
  undoTo(length: number): void;
  /** What was changed stays. */
  clear(): void;
}

export function newJournal(): Journal {
  const undos: (() => void)[] = [];

  return {
    get length() {
      return undos.length;
    },
    note: (undo) => void undos.push(undo),
    undoTo(length) {
      for (const undo of undos.splice(length).toReversed()) undo();
    },
    clear() {
      undos.length = 0;
    },
  };
}
