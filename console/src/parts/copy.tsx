import { Icon } from "./icons.tsx";
import { say } from "./toast.tsx";

/** A button that copies a text to the clipboard. */
export function CopyButton({ text, what = "Copied." }: { text: string | (() => string); what?: string }) {
  return (
    <button
      type="button"
      class="small"
      onClick={() => void copy(typeof text === "string" ? text : text(), what)}
    >
      Copy
    </button>
  );
}

/** A small button beside an id, which copies it. */
export function CopyIcon({ id }: { id: string }) {
  return (
    <button
      type="button"
      class="copy-icon"
      aria-label={`Copy ${id}`}
      onClick={() => void copy(id, "The id is copied.")}
    >
      <Icon name="copy" />
    </button>
  );
}

async function copy(text: string, what: string): Promise<void> {
  say((await copied(text)) ? what : "The browser does not allow copying here.");
}

/** A command, or another text, with a button that copies it. */
export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div class="command">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled */}
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** Browsers allow the clipboard only on https and on this machine. Other pages use the older way. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}
