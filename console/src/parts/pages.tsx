import { useState } from "preact/hooks";

/** Where somebody is in a list that is read page by page, the newest first. */
export interface Pages {
  /** Where the page begins; undefined: with the newest. */
  readonly cursor: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly newer: () => void;
  /** To the page that begins there. */
  readonly older: (cursor: string) => void;
  /** Back to the first page, of another list. */
  readonly begin: () => void;
}

/** Begins with the first page. */
export function usePages(): Pages {
  // Cursors of the pages up to this one: the way back.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    newer: () => setCursors(cursors.slice(0, -1)),
    older: (cursor) => setCursors([...cursors, cursor]),
    begin: () => setCursors([]),
  };
}

interface PagerProperties {
  readonly pages: Pages;
  /** What was read of this page, as far as the page behind it goes; undefined: nothing yet. */
  readonly read: { readonly nextCursor?: string } | undefined;
}

/** The way through the pages; it comes with the first of them, so that it does not move. */
export function Pager({ pages, read }: PagerProperties) {
  if (read === undefined && pages.number === 1) return null;
  const next = read?.nextCursor;
  return (
    <div class="pager">
      <button type="button" disabled={pages.number === 1} onClick={pages.newer}>
        Newer
      </button>
      <span class="soft" aria-live="polite">
        Page {pages.number}
      </span>
      <button type="button" disabled={next === undefined} onClick={() => pages.older(next ?? "")}>
        Older
      </button>
    </div>
  );
}
