import { useRef } from "preact/hooks";

interface EditorProperties {
  readonly text: string;
  readonly labelledBy: string;
  readonly change: (text: string) => void;
}

/** A text field with line numbers. Tab moves on, as in every field. */
export function Editor({ text, labelledBy, change }: EditorProperties) {
  const lines = useRef<HTMLPreElement>(null);
  const numbers = text
    .split("\n")
    .map((_, index) => index + 1)
    .join("\n");
  return (
    <div class="editor">
      <pre class="lines" ref={lines} aria-hidden="true">
        {numbers}
      </pre>
      <textarea
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-labelledby={labelledBy}
        onInput={(event) => change(event.currentTarget.value)}
        onScroll={(event) => {
          if (lines.current !== null) lines.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
