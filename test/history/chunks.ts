import { type Faults, merged } from "./faults.ts";
import type { Chunk, Read } from "./history.ts";
import type { JobHistory } from "./job-history.ts";

/** Chunks that were stored and not read, read twice, in the wrong order, or of another attempt. */
export function wrongChunks(job: JobHistory): Partial<Faults> {
  return merged([...job.reads.map((read) => wrongRead(read, job)), { duplicated: readTwice(job) }]);
}

function wrongRead({ which, marks }: Read, { id, chunks, looks, reports }: JobHistory): Partial<Faults> {
  const foreign = marks.filter((mark) => !chunks.some((chunk) => chunk.mark === mark && isShown(chunk)));
  const unexpected = foreign.map((mark) => `chunk ${mark} of job ${id} was read, and not stored`);
  if (which === "next" || unexpected.length > 0) return { unexpected };
  const completed = looks.find(({ state, result }) => state === "COMPLETED" && typeof result === "string");
  const attempt = reports.find(({ result }) => result === completed?.result)?.attempt;
  const own = chunks.filter((chunk) => chunk.attempt === attempt);
  const missing = own.filter(({ mark, outcome }) => outcome === "stored" && !marks.includes(mark));
  const due = own.filter((chunk) => isShown(chunk) && marks.includes(chunk.mark)).map(({ mark }) => mark);
  const isInOrder = due.join() === [...new Set(marks)].join();
  return {
    lost: missing.map(({ mark }) => `chunk ${mark} of job ${id} was stored, and not read`),
    duplicated: new Set(marks).size < marks.length ? [`one read of job ${id} has a chunk twice`] : [],
    illegal: isInOrder ? [] : [`the chunks of job ${id} are ${marks.join()}, not ${due.join()}`],
  };
}

function isShown({ outcome }: Chunk): boolean {
  return outcome !== "ignored";
}

function readTwice({ id, reads }: JobHistory): string[] {
  const marks = reads.filter(({ which }) => which === "next").flatMap((read) => read.marks);
  return [...Map.groupBy(marks, (mark) => mark)].flatMap(([mark, { length }]) =>
    length > 1 ? [`chunk ${mark} of job ${id} was read twice`] : [],
  );
}
