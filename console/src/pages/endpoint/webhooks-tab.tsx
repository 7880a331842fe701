import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Session, WEBHOOK_STATES, type WebhookState } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/note.tsx";
import { Pager, usePages } from "../../parts/pages.tsx";
import { to } from "../../parts/route.ts";
import { StateChoice } from "../../parts/state-choice.tsx";
import { ACTS, figures, TableCard } from "../../parts/table-card.tsx";
import { attempt, say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { When } from "../../parts/when.tsx";
import { may } from "../../parts/may.ts";
import { RedeliverDialog } from "./redeliver-dialog.tsx";
import { WebhookSecretPanel } from "./webhook-secret-panel.tsx";

/** ms. */
const EVERY = 3_000;

const PAGE = 50;

const COLUMNS = [
  "Job",
  "State",
  "Receiver",
  figures("Attempts"),
  "Last answer",
  "Last attempt",
  ACTS,
] as const;

/** The calls that tell the ends of jobs: what became of each, once more, and with what they are signed. */
export function WebhooksTab({ session, endpoint }: { session: Session; endpoint: string }) {
  const [status, setStatus] = useState<WebhookState | "">("");
  const [isAsked, setAsked] = useState(false);
  const pages = usePages();
  const { cursor } = pages;
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
        <StateChoice
          states={WEBHOOK_STATES}
          state={status}
          choose={(chosen) => {
            setStatus(chosen);
            pages.begin();
          }}
        />
        {isWriter ? (
          <button type="button" onClick={() => setAsked(true)}>
            Call many again
          </button>
        ) : null}
      </div>
      <TableCard
        caption="Webhooks"
        columns={COLUMNS}
        rows={value?.webhooks}
        error={error}
        retry={reload}
        empty={<NoWebhooks isMore={value?.nextCursor !== undefined} />}
      >
        {(webhook) => (
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
                {isWriter ? (
                  <button
                    type="button"
                    class="small"
                    onClick={() => void attempt(() => redeliver(webhook.id))}
                  >
                    Call again<span class="unseen"> for job {webhook.job}</span>
                  </button>
                ) : null}
              </div>
            </td>
          </tr>
        )}
      </TableCard>
      <Pager pages={pages} read={value} />
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

function NoWebhooks({ isMore }: { isMore: boolean }) {
  // Those of a state are looked for piece by piece.
  if (isMore) return <Empty title="None so far; look among the older ones" />;
  return (
    <Empty title="No webhooks">
      <p>
        A request with the member <code>webhook</code>, an address, has the end of its job told to that
        address.
      </p>
    </Empty>
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
