import type { Chunk, History } from "./history.ts";

/** Chunks that were acknowledged and not read, read twice, in the wrong order, or of the wrong attempt. */
export function wrongChunks({ chunks, reads, results, sightings }: History): string[] {
  const sent = new Map<string, Chunk[]>();
  for (const chunk of chunks) sent.set(chunk.id, [...(sent.get(chunk.id) ?? []), chunk]);
  const attempts = new Map(results.map(({ id, digest, attempt }) => [`${id} ${digest}`, attempt]));
  const completed = new Map(
    sightings.flatMap(({ id, state, result }) => (state === "COMPLETED" ? [[id, result]] : [])),
  );
  const wrong: string[] = [];
  const readBefore = new Set<string>();
  for (const { id, marks, which } of reads) {
    if (which === "next") {
      for (const mark of marks) {
        if (readBefore.has(`${id} ${mark}`)) wrong.push(`chunk ${mark} of ${id} was read twice`);
        readBefore.add(`${id} ${mark}`);
      }
      continue;
    }
    // Only one attempt has completed the job; other workers than those that say their attempt send no chunks.
    const attempt = attempts.get(`${id} ${completed.get(id)}`);
    const own = (sent.get(id) ?? []).filter((chunk) => chunk.attempt === attempt);
    const due = own.filter(({ mark, outcome }) => outcome === "stored" || marks.includes(mark));
    const legal = due.filter(({ outcome }) => outcome !== "ignored").map(({ mark }) => mark);
    if (legal.join() !== marks.join())
      wrong.push(`the chunks of ${id} are ${marks.join()}, not ${legal.join()}`);
  }
  return wrong;
}
