export interface Pace {
  /** A second; 0: as fast as they are taken. */
  readonly rate: number;
  readonly count: number;
  /** The first one comes at a random moment of so many ms; 0: at once. */
  readonly within: number;
}

export interface Chunk {
  readonly n: number;
  /** When it was made, ms since 1970. */
  readonly t: number;
  readonly text: string;
}

/** Now, by a clock that goes on evenly and that all processes of a machine have. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Small chunks at a steady pace; what is late follows at once. */
export async function* pacedChunks({ rate, count, within }: Pace): AsyncGenerator<Chunk> {
  const beginsAt = performance.now() + Math.random() * within;
  for (let n = 0; n < count; n++) {
    const early = rate === 0 ? 0 : beginsAt + (n * 1_000) / rate - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    yield { n, t: wallClock(), text: "to be or not to be" };
  }
}
