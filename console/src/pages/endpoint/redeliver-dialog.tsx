import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { WEBHOOK_STATES, type WebhookState } from "../../answers.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { countText, isoText, localText } from "../../parts/when.tsx";
import { type Counted, countWebhooks } from "./count-webhooks.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

interface RedeliverDialogProperties {
  readonly endpoint: string;
  /** The state that is chosen on the page. */
  readonly chosen: WebhookState;
  readonly close: () => void;
  readonly called: () => void;
}

/** Sends all webhooks of a state and a time again, after it has shown how many there are. */
export function RedeliverDialog({ endpoint, chosen, close, called }: RedeliverDialogProperties) {
  const [status, setStatus] = useState(chosen);
  const [from, setFrom] = useState(() => localText(minuteOf(Date.now() - DAY)));
  // The current minute is included.
  const [to, setTo] = useState(() => localText(minuteOf(Date.now() + MINUTE)));
  const range = from === "" || to === "" ? undefined : { status, from: isoText(from), to: isoText(to) };
  const { value, error, reload } = usePolled(JSON.stringify(range), 0, async (signal) =>
    range === undefined ? undefined : countWebhooks(endpoint, range, signal),
  );

  return (
    <Confirm
      title="Resend webhooks?"
      verb="Resend"
      isDangerous={false}
      isReady={value !== undefined && value.count > 0}
      close={close}
      act={async () => {
        if (range === undefined) return;
        const { redelivered } = await api.redeliverRange(endpoint, range);
        say(`${webhooksText(redelivered)} sent again.`);
        called();
      }}
    >
      <div class="fields">
        <Field label="State">
          {(given) => (
            <select
              {...given}
              value={status}
              onChange={(event) => {
                const { value: picked } = event.currentTarget;
                setStatus(WEBHOOK_STATES.find((state) => state === picked) ?? "FAILED");
              }}
            >
              {WEBHOOK_STATES.map((state) => (
                <option key={state} value={state}>
                  {state.toLowerCase()}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TimeField label="Ended from" value={from} change={setFrom} />
        <TimeField label="Ended before" value={to} change={setTo} />
      </div>
      <p role="status">
        <strong>{range === undefined ? "Choose a start and an end." : sentenceOf(value)}</strong>
      </p>
      <p class="soft">Each webhook keeps its id and body.</p>
      <ErrorNote error={error} retry={reload} />
    </Confirm>
  );
}

interface TimeFieldProperties {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
}

function TimeField({ label, value, change }: TimeFieldProperties) {
  return (
    <Field label={label}>
      {(given) => (
        <input
          {...given}
          type="datetime-local"
          required
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function sentenceOf(counted: Counted | undefined): string {
  if (counted === undefined) return "Counting…";
  if (counted.count === 0) return "No webhooks in this range.";
  return `${counted.isMore ? "More than " : ""}${webhooksText(counted.count)} sent again.`;
}

function webhooksText(count: number): string {
  return count === 1 ? "1 webhook is" : `${countText(count)} webhooks are`;
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}
