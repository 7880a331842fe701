import { useEffect, useState } from "preact/hooks";
import type { Endpoint } from "../answers.ts";

type Warnings = NonNullable<Endpoint["warnings"]>;

const given = new EventTarget();

/** Shows the warnings of an answer on the page that is now in the address. */
export function showWarnings(warnings: Warnings | undefined): void {
  given.dispatchEvent(new CustomEvent<Warnings>("given", { detail: warnings ?? [] }));
}

/** The place where warnings are shown, until they are closed or the address changes. */
export function WarningsNote() {
  const [shown, setShown] = useState<{ readonly warnings: Warnings; readonly place: string }>();
  useEffect(() => {
    const show = (event: Event): void => {
      if (event instanceof CustomEvent) setShown({ warnings: event.detail, place: location.hash });
    };
    const moved = (): void => setShown((before) => (before?.place === location.hash ? before : undefined));
    given.addEventListener("given", show);
    addEventListener("hashchange", moved);
    return () => {
      given.removeEventListener("given", show);
      removeEventListener("hashchange", moved);
    };
  }, []);
  if (shown === undefined || shown.warnings.length === 0) return null;
  return (
    <div class="note warn" role="status">
      <div class="stack close wait">
        <p>Saved. Some of the settings have no effect:</p>
        <ul>
          {shown.warnings.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code>: {message}
            </li>
          ))}
        </ul>
      </div>
      <button type="button" class="small" onClick={() => setShown(undefined)}>
        Close<span class="unseen"> the warnings</span>
      </button>
    </div>
  );
}
