import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";

/** What went wrong: the server's sentence and code, and a way to try again where there is one. */
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

/** That there is nothing yet, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** That something is being read; its place is kept. */
export function Loading() {
  return (
    <div class="empty" aria-busy="true">
      <p>Loading…</p>
    </div>
  );
}
