import { useState } from "preact/hooks";
import { sizeText } from "./when.tsx";

/** A text of any length: its beginning, and more of it on demand. Megabytes at once hold the page up. */
export function CutText({ text, limit }: { text: string; limit: number }) {
  const [shown, setShown] = useState(limit);
  if (text.length <= shown) return <>{text}</>;
  return (
    <>
      {text.slice(0, shown)}
      <span class="soft"> … </span>
      <button type="button" class="small more" onClick={() => setShown(shown * 20)}>
        Show more of {sizeText(text.length)}
      </button>
    </>
  );
}
