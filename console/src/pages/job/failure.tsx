import { useState } from "preact/hooks";
import {
  headlineOf,
  type JobError,
  jobErrorOf,
  type TracebackLine,
} from "../../../../src/domain/job-error.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { CutText } from "../../parts/json-tree.tsx";
import { countText } from "../../parts/when.tsx";

/** How many characters of a message are shown at first, and of a type or a line of a traceback. */
const MESSAGE_SHOWN = 20_000;
const LINE_SHOWN = 2_000;

interface FailureProperties {
  /** As the worker or the server wrote it. */
  readonly error: string;
  /** The path and the name of the record to download; undefined: there is none. */
  readonly file: { readonly path: string; readonly name: string } | undefined;
}

/** Why a job failed: type, message, and the traceback with the frames of the author's own code marked. */
export function Failure({ error, file }: FailureProperties) {
  const known = jobErrorOf(error);
  const { type, message } = known;
  const frames = withoutHeadline(known);
  return (
    <section class="card panel" aria-labelledby="error">
      <header>
        <h2 id="error">Error</h2>
        <div class="actions">
          <CopyButton text={() => wholeText(error, known)} what="The error is copied." />
          {file === undefined ? null : (
            <a class="button small" href={file.path} download={file.name}>
              Download
            </a>
          )}
        </div>
      </header>
      <div class="body stack close">
        <div>
          {type === undefined ? null : (
            <p class="failure-type">
              <CutText text={type} limit={LINE_SHOWN} />
            </p>
          )}
          <p class="failure">
            <CutText text={message} limit={MESSAGE_SHOWN} />
          </p>
        </div>
        {frames.length === 0 ? null : <Traceback lines={frames} />}
      </div>
    </section>
  );
}

/** A plain error as it is; of an exception its headline and its traceback. */
function wholeText(error: string, known: JobError): string {
  const { type, traceback } = known;
  if (type === undefined && traceback.length === 0) return error;
  const lines = traceback.map(({ text }) => text);
  return [...(withoutHeadline(known) === traceback ? [headlineOf(known)] : []), ...lines].join("\n");
}

/** Tracebacks of Python end with type and message, stacks of JavaScript begin with them. */
function withoutHeadline(error: JobError): readonly TracebackLine[] {
  const { traceback } = error;
  const headline = headlineOf(error);
  if (headline === "") return traceback;
  const count = headline.split("\n").length;
  const textOf = (lines: readonly TracebackLine[]): string => lines.map(({ text }) => text).join("\n");
  const end = textOf(traceback.slice(-count));
  // Python writes the module before the type.
  if (end.endsWith(headline) && !/\s/.test(end.slice(0, -headline.length))) return traceback.slice(0, -count);
  return textOf(traceback.slice(0, count)) === headline ? traceback.slice(count) : traceback;
}

/** Of a longer traceback, the last lines are shown at first. */
const LAST_LINES = 100;

function Traceback({ lines }: { lines: readonly TracebackLine[] }) {
  const [shown, setShown] = useState(LAST_LINES);
  const rest = lines.length - shown;
  return (
    <div class="stack close">
      {rest <= 0 ? null : (
        <div>
          <button type="button" class="small" onClick={() => setShown(shown * 20)}>
            Show more of {countText(lines.length)} lines
          </button>
        </div>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled */}
      <pre class="traceback" tabIndex={0} aria-label="Traceback">
        {lines.slice(-shown).map(({ text, part }, index) => (
          <span key={index} class={part}>
            <CutText text={text} limit={LINE_SHOWN} />
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}
