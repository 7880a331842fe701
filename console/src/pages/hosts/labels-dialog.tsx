import { useState } from "preact/hooks";
import type { Host } from "../../answers.ts";
import { api } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";

interface LabelsDialogProperties {
  readonly host: Host;
  readonly close: () => void;
  /** Called with the host as the server has it now. */
  readonly changed: (host: Host) => void;
}

/** Changes the labels of a host. */
export function LabelsDialog({ host: { name, labels }, close, changed }: LabelsDialogProperties) {
  const [typed, setTyped] = useState(labels.join("\n"));
  const { fault, isBusy, send } = useSending();

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      changed(await api.updateHost(name, { labels: labelsIn(typed) }));
    });
  }

  return (
    <Dialog title={`Labels of ${name}`} close={close}>
      <form onSubmit={(event) => void save(event)}>
        <Field
          label="Labels"
          hint="One per line. Endpoints choose hosts by label. Running workers stay."
          wrong={wrongOf(fault, "labels")}
        >
          {(given) => (
            <textarea
              {...given}
              rows={4}
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <ErrorNote error={fault?.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The labels that are typed, one per line. */
export function labelsIn(typed: string): string[] {
  return typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
