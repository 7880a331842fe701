import { readObject } from "./answer.ts";
import { type Chunk, type EndedStatus, isEnd, type JobStatus } from "./job.ts";
import type { StreamOptions } from "./options.ts";
import { Pace } from "../backoff.ts";
import type { ServerCalls } from "./server-calls.ts";

interface StreamAnswer<Piece> {
  readonly status: JobStatus;
  readonly stream: readonly Omit<Chunk<Piece>, "index">[];
}

/**
 * Reads chunks by their numbers, so a broken read can be repeated. If the server has chunks of another
 * attempt, or fewer than were read, the worker was lost and the job runs again: reading starts over.
 */
export async function* readStream<Piece>(
  calls: ServerCalls,
  path: string,
  hold: number,
  { from = 0, ...options }: StreamOptions,
): AsyncGenerator<Chunk<Piece>, EndedStatus, void> {
  const pace = new Pace(options.signal);
  let next = from;
  let attempt: string | null = null;
  for (;;) {
    pace.asked();
    const { body, headers } = await calls.call(
      { ...options, method: "GET", path: `${path}?from=${next}&wait=${hold}`, hold, isRepeatable: true },
      readObject,
    );
    // The server's answers have the members that docs/api.md promises.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { status, stream } = body as unknown as StreamAnswer<Piece>;
    const before = attempt ?? headers.get("x-attempt");
    attempt = headers.get("x-attempt");
    const isAnew = attempt !== before || Number(headers.get("x-next-chunk") ?? next) < next;
    if (isAnew && next > 0) {
      next = 0;
      continue;
    }
    for (const chunk of stream) yield { index: next++, ...chunk };
    if (isEnd(status)) return status;
    if (stream.length === 0) await pace.broughtNothing();
  }
}
