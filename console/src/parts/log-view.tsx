import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine } from "../answers.ts";
import { ApiError, send } from "../api.ts";
import { LogRow } from "./log-line.tsx";
import { Empty, ErrorNote } from "./note.tsx";

/** How many lines the page keeps. */
const MOST = 2_000;

interface LogViewProperties {
  readonly path: string;
  readonly label: string;
  /** Hides the lines that name other jobs and not this one. */
  readonly job?: string | undefined;
}

/**
 * The lines of a log as they arrive (docs/logs.md). The newest line stays visible unless the user scrolls up.
 */
export function LogView({ path, label, job }: LogViewProperties) {
  const [lines, setLines] = useState<readonly LogLine[]>();
  const [error, setError] = useState<ApiError>();
  const view = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);

  useEffect(() => {
    const gone = new AbortController();
    setLines(undefined);
    setError(undefined);
    void follow(path, gone.signal, (more) =>
      setLines((before = []) => [...before, ...more].slice(-MOST)),
    ).catch((caught: unknown) => {
      if (gone.signal.aborted) return;
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    });
    return () => gone.abort();
  }, [path]);

  useEffect(() => {
    const element = view.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [lines]);

  function scrolled(): void {
    const element = view.current;
    if (element === null) return;
    isAtEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - 30;
  }

  if (error?.code === "NO_LOGS") {
    return (
      <Empty title="No logs of this worker">
        <p>Forebay keeps the logs of workers that it starts, on the server that started them.</p>
      </Empty>
    );
  }
  const shown = lines?.filter(({ line }) => job === undefined || !isOfOther(line, job)) ?? [];
  const hidden = (lines?.length ?? 0) - shown.length;
  return (
    <>
      <ErrorNote error={error} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled */}
      <div class="log" ref={view} tabIndex={0} role="log" aria-label={label} onScroll={scrolled}>
        {shown.length === 0 ? <span class="soft">No logs yet.</span> : null}
        {hidden === 0 ? null : <div class="forebay">{hidden} lines of other jobs are hidden.</div>}
        {shown.map((line, index) => (
          <LogRow key={`${index} ${line.time}`} {...line} />
        ))}
      </div>
    </>
  );
}

const JOB_ID = /(?:sync-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-u1/g;

function isOfOther(line: string, job: string): boolean {
  const named: readonly string[] = line.match(JOB_ID) ?? [];
  return named.length > 0 && !named.includes(job);
}

/** Passes on the lines of a streamed answer, several at a time. */
async function follow(path: string, signal: AbortSignal, tell: (lines: LogLine[]) => void): Promise<void> {
  const { body } = await send("GET", path, undefined, signal);
  tell([]);
  if (body === null) return;
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    const lines = parts.filter((part) => part.trim() !== "").map((part): LogLine => JSON.parse(part));
    if (lines.length > 0) tell(lines);
  }
}
