import { useEffect, useState } from "preact/hooks";
import { type Child, childrenOf, kindAt, type Span, wholeOf } from "./json-spans.ts";
import { sizeText } from "./when.tsx";

/** How many children are shown at a time. */
const PAGE = 100;

/** Values up to this length are open from the start, characters. */
const SMALL = 2_000;

/** Longer strings, names and numbers are cut at first, characters. */
const LONG = 500;

/** A JSON text as a tree that opens part by part, however large it is. */
export function JsonTree({ text, at }: { text: string; at?: Span }) {
  const span = at ?? wholeOf(text);
  return (
    <div class="tree">
      <Value text={text} span={span} isOpen={true} />
    </div>
  );
}

function Value({ text, span, isOpen }: { text: string; span: Span; isOpen: boolean }) {
  const kind = kindAt(text, span);
  if (kind === "object" || kind === "array") return <Branch text={text} span={span} isOpen={isOpen} />;
  if (kind === "string") return <Text text={text} span={span} />;
  return (
    <span class={kind === "number" ? "figure" : "word"}>
      <CutText text={text.slice(span.start, span.end)} limit={LONG} />
    </span>
  );
}

function Branch({ text, span, isOpen: isOpenFirst }: { text: string; span: Span; isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const [found, setFound] = useState<{ of: string; children: Child[]; hasMore: boolean }>();
  // The places belong to one text.
  const shown = found?.of === text ? found : undefined;
  const [wanted, setWanted] = useState(PAGE);
  const [fault, setFault] = useState<{ error: unknown }>();
  if (fault !== undefined) throw fault.error;
  const [first, last] = text[span.start] === "{" ? ["{", "}"] : ["[", "]"];
  const length = span.end - span.start;

  useEffect(() => {
    if (!isOpen) return undefined;
    let isCurrent = true;
    async function find(): Promise<void> {
      const newest = await childrenOf(text, span, wanted);
      if (isCurrent) setFound({ of: text, ...newest });
    }
    void find().catch((error: unknown) => setFault({ error }));
    return () => {
      isCurrent = false;
    };
  }, [text, span.start, span.end, isOpen, wanted]);

  if (/^.\s*.$/.test(length < 40 ? text.slice(span.start, span.end) : "")) return <span>{first + last}</span>;
  return (
    <>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? `▾ ${first}` : `▸ ${first} … ${last}`}
        {length > SMALL ? <small class="soft"> {sizeText(length)}</small> : null}
      </button>
      {isOpen ? (
        <ul>
          {shown?.children.map((child) => (
            <li key={child.start}>
              {child.name === undefined ? null : (
                <span class="name">
                  <CutText text={child.name} limit={LONG} />:{" "}
                </span>
              )}
              <Value text={text} span={child} isOpen={child.end - child.start < SMALL} />
            </li>
          ))}
          {shown === undefined ? <li class="soft">…</li> : null}
          {shown?.hasMore ? (
            <li>
              <button type="button" class="small more" onClick={() => setWanted(wanted + PAGE)}>
                Show {PAGE} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
      {isOpen ? <span>{last}</span> : null}
    </>
  );
}

function Text({ text, span }: { text: string; span: Span }) {
  const [limit, setLimit] = useState(LONG);
  const length = span.end - span.start - 2;
  // A cut never splits an escape: the rest begins after the last whole character.
  const source = length <= limit ? text.slice(span.start, span.end) : cutString(text, span.start, limit);
  return (
    <span>
      <span class="text">{JSON.parse(source)}</span>
      {length > limit ? (
        <>
          <span class="soft"> … </span>
          <button type="button" class="small more" onClick={() => setLimit(limit * 20)}>
            Show more of {sizeText(length)}
          </button>
        </>
      ) : null}
    </span>
  );
}

/** The beginning of a string, in quotes. An escape that the limit would split is left out. */
function cutString(text: string, start: number, limit: number): string {
  const end = start + 1 + limit;
  // The longest escape has six characters.
  const [begun = ""] = /\\(u[0-9a-fA-F]{0,3})?$/.exec(text.slice(end - 5, end)) ?? [];
  const last = begun === "" || !isEscape(text, end - begun.length) ? end : end - begun.length;
  return `${text.slice(start, last)}"`;
}

/** Whether the backslash begins an escape: the one before it may have escaped it. */
function isEscape(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 0;
}

/** A text of any length: its beginning, and more on demand. Megabytes at once would block the page. */
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
