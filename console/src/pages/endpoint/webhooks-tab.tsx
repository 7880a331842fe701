import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Session, type Webhook, WEBHOOK_STATES, type WebhookState } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/note.tsx";
import { Pager, usePages } from "../../parts/pages.tsx";
import { to } from "../../parts/route.ts";
import { StateChoice } from "../../parts/choices.tsx";
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

/** The webhooks of an endpoint: their states, redelivery, and the signing secret. */
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
    say("The webhook is sent again.");
    reload();
  }

  return (
    <div class="stack close">
      {may(session, "manage") ? <WebhookSecretPanel endpoint={endpoint} /> : null}
      <Bar
        state={status}
        choose={(chosen) => {
          setStatus(chosen);
          pages.begin();
        }}
        callMany={isWriter ? () => setAsked(true) : undefined}
      />
      <TableCard
        caption="Webhooks"
        columns={COLUMNS}
        rows={value?.webhooks}
        error={error}
        retry={reload}
        empty={<NoWebhooks isMore={value?.nextCursor !== undefined} />}
      >
        {(webhook) => (
          <WebhookRow
            key={webhook.id}
            endpoint={endpoint}
            webhook={webhook}
            redeliver={isWriter ? () => void attempt(() => redeliver(webhook.id)) : undefined}
          />
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

interface BarProperties {
  readonly state: WebhookState | "";
  readonly choose: (state: WebhookState | "") => void;
  /** Undefined: the key does not allow it. */
  readonly callMany: (() => void) | undefined;
}

function Bar({ state, choose, callMany }: BarProperties) {
  return (
    <div class="bar">
      <StateChoice states={WEBHOOK_STATES} state={state} choose={choose} />
      {callMany === undefined ? null : (
        <button type="button" onClick={callMany}>
          Resend webhooks
        </button>
      )}
    </div>
  );
}

interface WebhookRowProperties {
  readonly endpoint: string;
  readonly webhook: Webhook;
  /** Undefined: the key does not allow it. */
  readonly redeliver: (() => void) | undefined;
}

function WebhookRow({ endpoint, webhook, redeliver }: WebhookRowProperties) {
  return (
    <tr>
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
            <button type="button" class="small" onClick={redeliver}>
              Call again<span class="unseen"> for job {webhook.job}</span>
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}

function NoWebhooks({ isMore }: { isMore: boolean }) {
  // The server searches for a state piece by piece.
  if (isMore) return <Empty title="None on this page. Go to older ones." />;
  return (
    <Empty title="No webhooks">
      <p>
        To get a webhook when a job ends, submit the job with the member <code>webhook</code>, an HTTP
        address.
      </p>
    </Empty>
  );
}

/** Allows a line break between host and port. */
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
