import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { type JobListPlace, queryOf } from "../../parts/job-filters.ts";
import { ErrorNote } from "../../parts/note.tsx";
import { countText } from "../../parts/when.tsx";
import type { Selection } from "./use-selection.ts";

/** The most jobs of a file. `forebay jobs --json` writes more. */
const MOST = 100_000;

const PAGE = 1_000;

interface ExportDialogProperties {
  readonly place: JobListPlace;
  readonly selection: Selection;
  readonly close: () => void;
}

/** Saves the selected jobs as JSON lines, as the list of the API has them. */
export function ExportDialog({ place, selection, close }: ExportDialogProperties) {
  const [count, setCount] = useState(0);
  const [file, setFile] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const chosen = useRef(selection);
  useEffect(() => {
    const gone = new AbortController();
    let made: string | undefined;
    async function collect(): Promise<void> {
      try {
        const lines = await linesOf(chosen.current, queryOf(place).toString(), gone.signal, setCount);
        if (gone.signal.aborted) return;
        made = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
        setFile(made);
      } catch (caught) {
        if (gone.signal.aborted) return;
        if (!(caught instanceof ApiError)) throw caught;
        setError(caught);
      }
    }
    void collect();
    return () => {
      gone.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, []);
  return (
    <Dialog title="Export jobs" close={close}>
      <p role="status">
        {file === undefined
          ? `${countText(count)} jobs so far…`
          : `${jobsText(count)}, one JSON object a line.`}
        {file !== undefined && count >= MOST ? " This is the maximum: narrow the list for the others." : ""}
      </p>
      <ErrorNote error={error} />
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
        {file === undefined ? null : (
          <a class="button first" href={file} download="jobs.jsonl">
            Download
          </a>
        )}
      </div>
    </Dialog>
  );
}

function jobsText(count: number): string {
  return count === 1 ? "1 job" : `${countText(count)} jobs`;
}

async function linesOf(
  { jobs, isAll }: Selection,
  query: string,
  signal: AbortSignal,
  counted: (count: number) => void,
): Promise<string[]> {
  if (!isAll) {
    counted(jobs.length);
    return jobs.map((job) => `${JSON.stringify({ ...job, isGone: undefined })}\n`);
  }
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.findJobs(query, { limit: PAGE, cursor }, signal);
    lines.push(...page.jobs.map((job) => `${JSON.stringify(job)}\n`));
    cursor = page.nextCursor;
    counted(lines.length);
  } while (cursor !== undefined && lines.length < MOST);
  return lines;
}
