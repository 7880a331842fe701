/** The record of a job: its id, its status, and its result if there is one. */
export interface Told {
  readonly id: string;
  readonly status: LocalStatus;
  readonly output?: unknown;
  readonly error?: string;
}

type LocalStatus = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED";

/** A job of a worker without a server, from its submission on. */
export class LocalRecord {
  readonly id: string;
  readonly #chunks: unknown[] = [];
  #told: Omit<Told, "id"> = { status: "IN_QUEUE" };
  #read = 0;
  #onNews: (() => void)[] = [];

  constructor(id: string) {
    this.id = id;
  }

  get told(): Told {
    return { id: this.id, ...this.#told };
  }

  /** All that its handler has yielded. */
  get chunks(): readonly unknown[] {
    return this.#chunks;
  }

  get hasEnded(): boolean {
    return this.#told.status !== "IN_QUEUE" && this.#told.status !== "IN_PROGRESS";
  }

  /** Chunks since the last read. */
  readChunks(): readonly unknown[] {
    const unread = this.#chunks.slice(this.#read);
    this.#read = this.#chunks.length;
    return unread;
  }

  get hasUnread(): boolean {
    return this.#read < this.#chunks.length;
  }

  /** Resolves when `isThere` is true, or after `limit` ms. */
  async until(isThere: () => boolean, limit = Number.POSITIVE_INFINITY): Promise<void> {
    const late = new AbortController();
    const giveUp = (): void => {
      late.abort();
      this.#tell();
    };
    const timer = Number.isFinite(limit) ? setTimeout(giveUp, limit) : undefined;
    while (!isThere() && !late.signal.aborted) {
      await new Promise<void>((resolve) => this.#onNews.push(resolve));
    }
    clearTimeout(timer);
  }

  begin(): void {
    this.#become({ status: "IN_PROGRESS" });
  }

  addChunk(chunk: unknown): void {
    this.#chunks.push(chunk);
    this.#tell();
  }

  setProgress(value: unknown): void {
    if (!this.hasEnded) this.#become({ status: "IN_PROGRESS", output: value });
  }

  /** As on the server: a truthy error fails the job, drops its output, and is returned as text. */
  end({ output, error }: { readonly output?: unknown; readonly error?: unknown }): void {
    if (error) {
      const text = typeof error === "string" ? error : JSON.stringify(error);
      this.#become({ status: "FAILED", error: text });
    } else this.#become({ status: "COMPLETED", ...(output === undefined ? {} : { output }) });
  }

  cancel(): void {
    if (!this.hasEnded) this.#become({ status: "CANCELLED" });
  }

  #become(told: Omit<Told, "id">): void {
    this.#told = told;
    this.#tell();
  }

  #tell(): void {
    for (const resolve of this.#onNews.splice(0)) resolve();
  }
}
