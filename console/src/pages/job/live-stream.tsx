import { useEffect, useRef, useState } from "preact/hooks";
import { openEvents, streamPath } from "../../api.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { countText } from "../../parts/when.tsx";

/** How many chunks are shown, and how many characters of them. Earlier ones are left out. */
const MOST = 500;
const MOST_CHARACTERS = 1_000_000;

interface Shown {
  readonly chunks: readonly string[];
  readonly count: number;
  readonly isOver: boolean;
}

const NOTHING: Shown = { chunks: [], count: 0, isOver: false };

interface LiveStreamProperties {
  readonly endpoint: string;
  readonly job: string;
  /** Whether the panel is shown before the first chunk. */
  readonly isExpected?: boolean;
}

/** The stream of a job, live. Reading consumes nothing: other readers get all of it. */
export function LiveStream({ endpoint, job, isExpected = false }: LiveStreamProperties) {
  const shown = useChunks(endpoint, job);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [shown]);
  if (shown.count === 0 && !isExpected) return null;
  const texts = shown.chunks.map((chunk) => textOf(chunk));
  const isText = texts.every((text) => text !== undefined);
  return (
    <section class="card panel">
      <header>
        <h2>
          Stream <small class="soft">{countText(shown.count)} chunks</small>
        </h2>
        <span class="soft">{shown.isOver ? "whole" : "live"}</span>
      </header>
      <div class="body tall">
        {shown.count > shown.chunks.length ? (
          <p class="soft">The last {shown.chunks.length} are shown.</p>
        ) : null}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled */}
        <div class="chunks" ref={end} tabIndex={0} role="log" aria-label="Output of the job">
          {shown.count === 0 ? (
            <div class="soft">Nothing yet.</div>
          ) : isText ? (
            <div class="said-live">{texts.join("")}</div>
          ) : (
            shown.chunks.map((chunk, index) => <JsonTree key={index} text={chunk} />)
          )}
        </div>
      </div>
    </section>
  );
}

/** The chunks of a running job, drawn at most once for each frame of the screen. */
export function useChunks(endpoint: string, job: string): Shown {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const events = openEvents(streamPath(endpoint, job));
    let now = NOTHING;
    let frame = 0;
    const draw = (next: Shown): void => {
      now = next;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setShown(now));
    };
    events.addEventListener("message", ({ data }: MessageEvent<string>) =>
      draw({ ...now, chunks: newestOf([...now.chunks, data]), count: now.count + 1 }),
    );
    events.addEventListener("restart", () => draw(NOTHING));
    events.addEventListener("end", () => {
      draw({ ...now, isOver: true });
      events.close();
    });
    return () => {
      cancelAnimationFrame(frame);
      events.close();
    };
  }, [endpoint, job]);
  return shown;
}

/** The last chunks that fit into the limits, at least one. */
function newestOf(chunks: readonly string[]): string[] {
  let first = chunks.length - 1;
  let characters = chunks[first]?.length ?? 0;
  for (let before = first - 1; before >= 0 && chunks.length - before <= MOST; before--) {
    characters += chunks[before]?.length ?? 0;
    if (characters > MOST_CHARACTERS) break;
    first = before;
  }
  return chunks.slice(first);
}

/** The text of a chunk whose output is a string, as from language models; undefined for any other. */
function textOf(chunk: string): string | undefined {
  const { output, metrics }: { output?: unknown; metrics?: unknown } = JSON.parse(chunk);
  return typeof output === "string" && metrics === undefined ? output : undefined;
}
