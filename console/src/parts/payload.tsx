import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "./copy.tsx";
import { JsonTree } from "./json-tree.tsx";
import type { Span } from "./json-spans.ts";
import { sizeText } from "./when.tsx";

/** What is copied in one piece; the rest is saved as a file, characters. */
const MOST_TO_COPY = 4_000_000;

interface PayloadProperties {
  readonly title: string;
  readonly text: string;
  readonly at: Span;
  /** Where it is saved from, and under which name. */
  readonly file: { readonly path: string; readonly name: string };
}

/** A payload as a tree, to be copied, and to be saved through the API. */
export function Payload({ title, text, at, file }: PayloadProperties) {
  const [isDrawn, setDrawn] = useState(false);
  // The page is there first, then what is in it.
  useEffect(() => setDrawn(true), [text]);
  const length = at.end - at.start;
  return (
    <section class="card panel">
      <header>
        <h2>
          {title} <small class="soft">{sizeText(length)}</small>
        </h2>
        <div class="actions">
          {length > MOST_TO_COPY ? null : <CopyButton text={() => text.slice(at.start, at.end)} />}
          <a class="button small" href={file.path} download={file.name}>
            Save as a file
          </a>
        </div>
      </header>
      <div class="body tall">{isDrawn ? <JsonTree text={text} at={at} /> : null}</div>
    </section>
  );
}
