export interface SentChunk {
  /** Names the hand-out, and the place of the chunk in it. */
  readonly mark: string;
  /** The server said that it has it, and got it once. */
  isCertain: boolean;
}

/** The chunks that workers have sent, for a look at the whole stream of a job that has completed. */
export class Streams {
  /** By job, in the order of their sending. */
  readonly #sent = new Map<string, SentChunk[]>();

  sent(id: string, mark: string): SentChunk {
    const chunk = { mark, isCertain: false };
    this.#sent.set(id, [...(this.#sent.get(id) ?? []), chunk]);
    return chunk;
  }

  has(id: string): boolean {
    return this.#sent.has(id);
  }

  /** What is wrong with the stream of a job that this hand-out has completed, as a sentence. */
  wrong(id: string, handOut: string, read: readonly string[]): string | undefined {
    const sent = (this.#sent.get(id) ?? []).filter(({ mark }) => handOutOf(mark) === handOut);
    const foreign = read.find((mark) => !sent.some((chunk) => chunk.mark === mark));
    if (foreign !== undefined) return `job ${id} has the chunk ${foreign}, which ${handOut} never sent`;
    const certain = sent.filter(({ isCertain }) => isCertain).map(({ mark }) => mark);
    const found = read.filter((mark) => certain.includes(mark));
    if (found.join() === certain.join()) return undefined;
    return `job ${id} has the chunks ${found.join() || "none"}, and not ${certain.join()}`;
  }
}

/** The hand-out that a chunk belongs to. */
export function handOutOf(mark: string): string {
  return mark.slice(0, mark.lastIndexOf("c"));
}
