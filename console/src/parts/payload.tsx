import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "./copy.tsx";
import { JsonTree } from "./json-tree.tsx";
import type { Span } from "./json-spans.ts";
import { sizeText } from "./when.tsx";

/** Larger payloads are not copied, only saved as a file, characters. */
const MOST_TO_COPY = 4_000_000;

interface PayloadProperties {
  readonly title: string;
  readonly text: string;
  readonly at: Span;
  /** The path and the name of the file. */
  readonly file: { readonly path: string; readonly name: string };
}

/** A payload as a tree, with buttons to copy and to save it. */
export function Payload({ title, text, at, file }: PayloadProperties) {
  const [isDrawn, setDrawn] = useState(false);
  // The panel is drawn before its content.
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
            Download
          </a>
        </div>
      </header>
      <div class="body tall">{isDrawn ? <JsonTree text={text} at={at} /> : null}</div>
    </section>
  );
}
