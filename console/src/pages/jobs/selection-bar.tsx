import { useState } from "preact/hooks";
import type { JobAction, Session } from "../../answers.ts";
import { type JobListPlace, queryOf } from "../../parts/job-filters.ts";
import { may } from "../../parts/may.ts";
import { countText } from "../../parts/when.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import type { ListedJob } from "./found-list.ts";
import type { FoundJobs } from "./use-found-jobs.ts";
import { namedIn, type Selection } from "./use-selection.ts";

/** One action names at most so many jobs; of more, all matches can be meant. */
const MOST_NAMED = 1_000;

const VERBS: readonly (readonly [JobAction, string])[] = [
  ["retry", "Retry"],
  ["resubmit", "Resubmit"],
  ["cancel", "Cancel jobs"],
];

interface SelectionBarProperties {
  readonly session: Session;
  readonly place: JobListPlace;
  /** The rows that can be selected. */
  readonly listed: readonly ListedJob[];
  readonly found: FoundJobs;
  readonly selection: Selection;
}

/** Selects rows or all matches, and does something with them. */
export function SelectionBar({ session, place, listed, found, selection }: SelectionBarProperties) {
  const [opened, setOpened] = useState<JobAction | "export">();
  const close = (): void => setOpened(undefined);
  const count = selection.jobs.length;
  const areListed = listed.length > 0 && listed.every(({ id }) => selection.has(id));
  const isTooMuch = !selection.isAll && count > MOST_NAMED;
  const isPart = isTooMuch || (areListed && !selection.isAll && found.list.cursor !== undefined);
  // Without a condition, the server acts on named jobs only.
  const hasCondition = queryOf(place).size > 0;
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={areListed}
          disabled={listed.length === 0}
          onChange={(event) => selection.chooseListed(event.currentTarget.checked)}
        />
        Select all
      </label>
      {count === 0 ? null : (
        <>
          <span class="soft" role="status">
            {selection.isAll ? "All matches selected" : `${countText(count)} selected`}
            {isTooMuch ? `. One action takes at most ${countText(MOST_NAMED)} selected rows.` : ""}
            {isPart && !hasCondition ? ". Add a filter to act on all." : ""}
          </span>
          {isPart && hasCondition ? (
            <button type="button" class="small" onClick={selection.chooseAll}>
              Select all matches
            </button>
          ) : null}
          <Actions session={session} isTooMuch={isTooMuch} open={setOpened} />
        </>
      )}
      {opened === "export" ? <ExportDialog place={place} selection={selection} close={close} /> : null}
      {opened === undefined || opened === "export" ? null : (
        <ActionDialog
          action={opened}
          named={namedIn(selection, place)}
          place={place}
          close={close}
          closeBegun={() => {
            close();
            selection.clear();
            found.readAgain();
          }}
        />
      )}
    </>
  );
}

interface ActionsProperties {
  readonly session: Session;
  readonly isTooMuch: boolean;
  readonly open: (what: JobAction | "export") => void;
}

function Actions({ session, isTooMuch, open }: ActionsProperties) {
  return (
    <div class="actions acts">
      {may(session, "write")
        ? VERBS.map(([action, verb]) => (
            <button
              key={action}
              type="button"
              class={action === "cancel" ? "small danger" : "small"}
              disabled={isTooMuch}
              onClick={() => open(action)}
            >
              {verb}
            </button>
          ))
        : null}
      <button type="button" class="small" onClick={() => open("export")}>
        Export
      </button>
    </div>
  );
}
