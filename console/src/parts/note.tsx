import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";

/** An error: the server's message and code, and a retry button if possible. */
export function ErrorNote({ error, retry }: { error: ApiError | undefined; retry?: () => void }) {
  if (error === undefined) return null;
  return (
    <div class="note bad" role="alert">
      <span>{error.message}</span>
      <code>{error.code}</code>
      {retry === undefined ? null : (
        <button type="button" class="small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that there is nothing yet, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Says that something is being read, and keeps its space. */
export function Loading() {
  return (
    <div class="empty" aria-busy="true">
      <p>Loading…</p>
    </div>
  );
}
