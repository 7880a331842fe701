import type { PayloadFiles } from "../payload-files.ts";

/** Removes payload files that no row uses any more. While a backup reads them, it waits. */
export interface Removals {
  remove(name: string): void;
  /** Removes nothing until the answer is called. */
  hold(): () => void;
  /** Resolves when everything is removed that no backup holds. */
  settled(): Promise<void>;
}

export function payloadRemovals(files: PayloadFiles, onFailure: (error: Error) => void): Removals {
  const running = new Set<Promise<void>>();
  let holds = 0;
  let held: string[] = [];

  function begin(name: string): void {
    const removal = files.remove(name).catch(onFailure);
    running.add(removal);
    void removal.finally(() => running.delete(removal));
  }

  return {
    remove(name) {
      if (holds > 0) held.push(name);
      else begin(name);
    },

    hold() {
      holds++;
      return () => {
        holds--;
        if (holds > 0) return;
        for (const name of held) begin(name);
        held = [];
      };
    },

    async settled() {
      await Promise.all(running);
    },
  };
}
