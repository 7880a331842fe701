import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Session, type Webhook, WEBHOOK_STATES, type WebhookState } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { to } from "../../parts/route.ts";
import { attempt, say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { When } from "../../parts/when.tsx";
import { may } from "../../parts/may.ts";
import { RedeliverDialog } from "./redeliver-dialog.tsx";
import { WebhookSecretPanel } from "./webhook-secret-panel.tsx";

/** ms. */
const EVERY = 3_000;

const PAGE = 50;

/** The calls that tell the ends of jobs: what became of each, once more, and with what they are signed. */
export function WebhooksTab({ session, endpoint }: { session: Session; endpoint: string }) {
  const [status, setStatus] = useState<WebhookState | "">("");
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [isAsked, setAsked] = useState(false);
  const cursor = cursors.at(-1);
  const isWriter = may(session, "write");
  const { value, error, reload } = usePolled(
    `${status} ${cursor}`,
    cursor === undefined ? EVERY : 0,
    (signal) => api.webhooks(endpoint, { status, cursor, limit: PAGE }, signal),
  );

  async function redeliver(id: string): Promise<void> {
    await api.redeliver(endpoint, id);
    say("The webhook is called once more.");
    reload();
  }

  return (
    <div class="stack close">
      {may(session, "manage") ? <WebhookSecretPanel endpoint={endpoint} /> : null}
      <div class="bar">
        <label>
          <span class="label">State</span>
          <select
            value={status}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              setStatus(WEBHOOK_STATES.find((state) => state === chosen) ?? "");
              setCursors([]);
            }}
          >
            <option value="">all</option>
            {WEBHOOK_STATES.map((state) => (
              <option key={state} value={state}>
                {state.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        {isWriter ? (
          <button type="button" onClick={() => setAsked(true)}>
            Call many again
          </button>
        ) : null}
      </div>
      <ErrorNote error={error} retry={reload} />
      <div class="card">
        {value === undefined && error === undefined ? <Loading /> : null}
        {value?.webhooks.length === 0 ? (
          <Empty title="No webhooks">
            <p>
              A request with the member <code>webhook</code>, an address, has the end of its job told to that
              address.
            </p>
          </Empty>
        ) : null}
        {value === undefined || value.webhooks.length === 0 ? null : (
          <WebhookTable
            endpoint={endpoint}
            webhooks={value.webhooks}
            redeliver={isWriter ? (id) => void attempt(() => redeliver(id)) : undefined}
          />
        )}
      </div>
      <div class="pager">
        <button
          type="button"
          disabled={cursors.length === 0}
          onClick={() => setCursors(cursors.slice(0, -1))}
        >
          Newer
        </button>
        <button
          type="button"
          disabled={value?.nextCursor === undefined}
          onClick={() => setCursors([...cursors, value?.nextCursor ?? ""])}
        >
          Older
        </button>
      </div>
      {isAsked ? (
        <RedeliverDialog
          endpoint={endpoint}
          chosen={status === "" ? "FAILED" : status}
          close={() => setAsked(false)}
          called={reload}
        />
      ) : null}
    </div>
  );
}

interface TableProperties {
  readonly endpoint: string;
  readonly webhooks: readonly Webhook[];
  readonly redeliver: ((id: string) => void) | undefined;
}

function WebhookTable({ endpoint, webhooks, redeliver }: TableProperties) {
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Webhooks</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Receiver</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Last answer</th>
            <th scope="col">Last attempt</th>
            <th scope="col">
              <span class="unseen">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row" class="mono">
                <a href={to("endpoints", endpoint, "jobs", webhook.job)}>{webhook.job}</a>
              </th>
              <td>
                <Badge state={webhook.status} />
              </td>
              <td class="mono receiver">{withBreaks(webhook.receiver)}</td>
              <td class="number">{webhook.attempts}</td>
              <td>
                {webhook.responseStatus ?? "–"}{" "}
                {webhook.error === undefined ? null : <small class="soft reason">{webhook.error}</small>}
              </td>
              <td>
                <When at={webhook.lastAttemptAt} />
              </td>
              <td>
                <div class="actions">
                  {redeliver === undefined ? null : (
                    <button type="button" class="small" onClick={() => redeliver(webhook.id)}>
                      Call again<span class="unseen"> for job {webhook.job}</span>
                    </button>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Host and port can stand on two lines. */
function withBreaks(receiver: string) {
  const port = receiver.lastIndexOf(":");
  return (
    <>
      {receiver.slice(0, port)}
      <wbr />
      {receiver.slice(port)}
    </>
  );
}
