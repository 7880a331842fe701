import { useState } from "preact/hooks";

/** The position in a paged list, newest first. */
export interface Pages {
  /** The cursor of the page; undefined: the newest. */
  readonly cursor: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly newer: () => void;
  /** Goes to the page that begins at the cursor. */
  readonly older: (cursor: string) => void;
  /** Goes back to the first page, for another list. */
  readonly begin: () => void;
}

/** Begins with the first page. */
export function usePages(): Pages {
  // The cursors of the pages up to this one, for the way back.
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
  /** What was read of this page, for the cursor of the next one; undefined: nothing yet. */
  readonly read: { readonly nextCursor?: string } | undefined;
}

/** The buttons for the pages. They are shown from the first page on, so that they do not move. */
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
