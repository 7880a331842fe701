import { seededRandom } from "../crash/seeded-random.ts";
import { TEST_KEY } from "./test-client.ts";
import type { TestWorker } from "./test-worker.ts";

export interface ResumedStreamOptions {
  /** Repeats how much is put out, and where the reader is cut off; not who is faster. */
  readonly seed: string;
  readonly worker: TestWorker;
  /** A job that the worker has; it is put out here, and ended. */
  readonly job: string;
  /** The address of the job's live stream, at any of the servers. */
  readonly addresses: readonly [string, ...string[]];
  /** So often the reader is cut off before it reads to the end. */
  readonly cuts: number;
}

interface ResumedStream {
  /** What the worker has put out, and what the reader has had, in order. */
  readonly put: readonly string[];
  readonly read: readonly string[];
  /** Cuts that fell into the middle of an event. */
  readonly halves: number;
}

/** The worker is never further ahead, so that the stream lives as long as its reader is cut off. Chunks. */
const AHEAD = 12;

/** Less than the chunks ahead have together, so that no reader waits for bytes that are not to come. */
const LONGEST_VISIT = 300;

const EVENT_END = Buffer.from("\n\n");

/**
 * A job's live stream, read by one who is cut off again and again, at any byte, and who comes back with the
 * id of the last event that it has whole.
 */
export async function resumedStream(options: ResumedStreamOptions): Promise<ResumedStream> {
  const { seed, worker, job, addresses, cuts } = options;
  const put: string[] = [];
  const read: string[] = [];
  let halves = 0;
  let visits = 0;
  let move = Promise.withResolvers<void>();
  const isCut = (): boolean => visits < cuts;

  const puttingOut = (async (): Promise<void> => {
    const random = seededRandom(`${seed}/worker`);
    while (isCut()) {
      if (put.length - read.length >= AHEAD) await move.promise;
      const text = `${put.length} ${"é€😀".repeat(random.integer(0, 11))}`;
      put.push(text);
      await worker.stream(job, { output: text });
    }
    await worker.done(job, { output: [] });
  })();

  const random = seededRandom(`${seed}/reader`);
  for (let lastId = ""; lastId !== "end"; visits++) {
    const bytes = isCut() ? random.integer(0, LONGEST_VISIT) : Number.POSITIVE_INFINITY;
    const had = await visit(random.pick(addresses), lastId, bytes);
    const end = had.lastIndexOf(EVENT_END);
    if (end + EVENT_END.length < had.length) halves++;
    for (const { id, output } of eventsOf(had.subarray(0, Math.max(end, 0)).toString())) {
      if (output !== undefined) read.push(output);
      lastId = id;
    }
    move.resolve();
    move = Promise.withResolvers();
  }
  move.resolve();
  await puttingOut;
  return { put, read, halves };
}

/** The first `bytes` of the stream, or all; then the connection is gone. */
async function visit(address: string, lastId: string, bytes: number): Promise<Buffer> {
  const abort = new AbortController();
  const headers = { authorization: TEST_KEY, accept: "text/event-stream", "last-event-id": lastId };
  const response = await fetch(address, { headers, signal: abort.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length >= bytes) break;
  }
  abort.abort();
  return Buffer.concat(pieces).subarray(0, Math.min(bytes, length));
}

interface ReadEvent {
  readonly id: string;
  /** Undefined in the event that tells the end. */
  readonly output: string | undefined;
}

/** What of the text, which ends with a whole event, has an id. */
function eventsOf(text: string): ReadEvent[] {
  return text.split("\n\n").flatMap((event) => {
    const id = /^id: (.*)$/m.exec(event)?.[1];
    const data = /^data: (.*)$/m.exec(event)?.[1];
    return id === undefined ? [] : [{ id, output: JSON.parse(data ?? "").output }];
  });
}
