import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.ts";
import { ErrorNote } from "./note.tsx";

interface DialogProperties {
  readonly title: string;
  readonly close: () => void;
  readonly isBroad?: boolean;
  /** While an action is sent: Escape does not close the dialog. */
  readonly isHeld?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape closes it, and the focus returns. */
export function Dialog({ title, close, isBroad = false, isHeld = false, children }: DialogProperties) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      class={isBroad ? "broad" : ""}
      // A browser closes it at the second Escape whatever the page says to the first.
      onClose={() => (isHeld ? element.current?.showModal() : close())}
    >
      <div class="inside">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProperties {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The text of the confirm button. */
  readonly verb: string;
  /** The text to type before the button is enabled. */
  readonly typed?: string;
  readonly isDangerous?: boolean;
  /** Whether the action is possible. */
  readonly isReady?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({
  title,
  children,
  verb,
  typed,
  isDangerous = true,
  isReady = true,
  act,
  close,
}: ConfirmProperties) {
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const input = useId();

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      await act();
      close();
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} close={close} isHeld={isBusy}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="stack close">{children}</div>
        {typed === undefined ? null : (
          <div class="field">
            <label for={input}>
              Type <code>{typed}</code> to confirm
            </label>
            <input
              id={input}
              value={text}
              autocomplete="off"
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </div>
        )}
        <ErrorNote error={error} />
        <div class="actions">
          <button type="button" disabled={isBusy} onClick={close}>
            {verb.startsWith("Cancel") ? "Back" : "Cancel"}
          </button>
          <button
            type="submit"
            class={isDangerous ? "danger first" : "first"}
            disabled={isBusy || !isReady || (typed !== undefined && text !== typed)}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
