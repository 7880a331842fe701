import { setPriority } from "node:os";
import type { BackupFacts } from "../backup/manifest.ts";
import { errorCode } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { type BackupSource, writeBackup } from "./sqlite-write-backup.ts";

/**
 * The thread that writes a backup while the server works. It waits for orders: begin, send the next piece, or
 * end.
 */
export type ThreadOrder =
  | { readonly order: "begin"; readonly source: BackupSource; readonly facts: BackupFacts }
  | { readonly order: "next" }
  | { readonly order: "end" };

export type BackupNews =
  | { readonly news: "piece"; readonly piece: Uint8Array }
  /** The database is copied, and will not be read any more. */
  | { readonly news: "copied" }
  | { readonly news: "finished" }
  | {
      readonly news: "failed";
      readonly code: string;
      readonly message: string;
      /** The message is a sentence for the operator. */
      readonly isTold: boolean;
    };

declare const self: {
  addEventListener(type: "message", listener: (event: { data: ThreadOrder }) => void): void;
  postMessage(news: BackupNews): void;
};

/** The priority of this thread, as `nice -n 10`: those that serve requests come first. */
const LATER = 10;

let pieces: AsyncGenerator<Uint8Array> | undefined;

self.addEventListener("message", ({ data }) => {
  void follow(data).catch((error: unknown) => {
    self.postMessage({
      news: "failed",
      code: errorCode(error),
      message: error instanceof Error ? error.message : String(error),
      isTold: error instanceof OperatorFault,
    });
  });
});

async function follow(data: ThreadOrder): Promise<void> {
  if (data.order === "begin") {
    lowerPriority();
    pieces = writeBackup(data.source, data.facts, () => self.postMessage({ news: "copied" }));
  } else if (data.order === "next") {
    const next = await pieces?.next();
    if (next?.done === false) self.postMessage({ news: "piece", piece: next.value });
    else self.postMessage({ news: "finished" });
  } else {
    await pieces?.return(undefined);
    process.exit();
  }
}

/** On Linux a priority belongs to a thread, and 0 is this one. Elsewhere threads share one, which stays. */
function lowerPriority(): void {
  if (process.platform === "linux") setPriority(0, LATER);
}
