import { useEffect, useRef, useState } from "preact/hooks";
import { JsonTree } from "../../parts/json-tree.tsx";
import { countText } from "../../parts/when.tsx";
import { runsOf, type StreamChunk, type StreamSoFar, useChunks } from "./stream-chunks.ts";

/** How many chunks are listed one by one. */
const LISTED = 500;

interface LiveStreamProperties {
  readonly endpoint: string;
  readonly job: string;
  /** Whether the panel is shown before the first chunk. */
  readonly isExpected?: boolean;
}

/** The stream of a job, live. Reading consumes nothing: other readers get all of it. */
export function LiveStream({ endpoint, job, isExpected = false }: LiveStreamProperties) {
  const newest = useChunks(endpoint, job);
  const [paused, setPaused] = useState<StreamSoFar>();
  const [isListed, setListed] = useState(false);
  if (newest.count === 0 && !isExpected) return null;
  const shown = paused ?? newest;
  const { count, isOver, chunks } = newest;
  const waiting = count - shown.count;
  return (
    <section class="card panel">
      <header>
        <h2>
          Stream <small class="soft">{countText(count)} chunks</small>{" "}
          <small class="soft">{isOver ? "whole" : "live"}</small>
        </h2>
        <div class="actions">
          <button type="button" class="small" aria-pressed={isListed} onClick={() => setListed(!isListed)}>
            Each chunk
          </button>
          {isOver && paused === undefined ? null : (
            <button
              type="button"
              class="small"
              onClick={() => setPaused(paused === undefined ? newest : undefined)}
            >
              {paused === undefined ? "Pause" : `Resume${waiting > 0 ? ` (${countText(waiting)} new)` : ""}`}
            </button>
          )}
        </div>
      </header>
      <div class="body tall">
        {count > chunks.length ? <p class="soft">The last {countText(chunks.length)} are shown.</p> : null}
        <Chunks chunks={shown.chunks} isListed={isListed} />
      </div>
    </section>
  );
}

/** Follows the newest chunk unless the user scrolls up. */
function Chunks({ chunks, isListed }: { chunks: readonly StreamChunk[]; isListed: boolean }) {
  const view = useRef<HTMLDivElement>(null);
  const [isFollowed, setFollowed] = useState(true);
  useEffect(() => {
    const element = view.current;
    if (element !== null && isFollowed) element.scrollTop = element.scrollHeight;
  }, [chunks, isListed, isFollowed]);

  function scrolled(): void {
    const element = view.current;
    if (element !== null) setFollowed(element.scrollTop + element.clientHeight > element.scrollHeight - 30);
  }

  return (
    <div class="followed">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled */}
      <div
        class="chunks"
        ref={view}
        tabIndex={0}
        role="log"
        aria-label="Output of the job"
        onScroll={scrolled}
      >
        {chunks.length === 0 ? <div class="soft">Nothing yet.</div> : null}
        {isListed ? <ChunkList chunks={chunks.slice(-LISTED)} /> : <JoinedChunks chunks={chunks} />}
      </div>
      {isFollowed ? null : (
        <button type="button" class="small follow" onClick={() => setFollowed(true)}>
          Follow
        </button>
      )}
    </div>
  );
}

function JoinedChunks({ chunks }: { chunks: readonly StreamChunk[] }) {
  const runs = runsOf(chunks).slice(-LISTED);
  return (
    <>
      {runs.map(({ number, text, json }) =>
        text === undefined ? (
          <JsonTree key={number} text={json} />
        ) : (
          <div key={number} class="said-live">
            {text}
          </div>
        ),
      )}
    </>
  );
}

function ChunkList({ chunks }: { chunks: readonly StreamChunk[] }) {
  return (
    <ol class="plain chunk-list">
      {chunks.map(({ number, json }) => (
        <li key={number}>
          <small class="soft">{countText(number)}</small>
          <ChunkLine json={json} />
        </li>
      ))}
    </ol>
  );
}

/** How much of a chunk stands on its line, characters. */
const LINE = 300;

/** A chunk on one line, as it was sent. A click opens it. */
function ChunkLine({ json }: { json: string }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <JsonTree text={json} />;
  return (
    <button type="button" class="chunk-line" aria-expanded={false} onClick={() => setOpen(true)}>
      {json.length > LINE ? `${json.slice(0, LINE)}…` : json}
    </button>
  );
}
