import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { WebhookSecret } from "../../answers.ts";
import { Command } from "../../parts/copy.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { RotateDialog } from "../../parts/rotate-dialog.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { When } from "../../parts/when.tsx";

/** The signing secret of the webhooks: shown on demand, and rotated. */
export function WebhookSecretPanel({ endpoint }: { endpoint: string }) {
  const { value, error, reload } = usePolled(endpoint, 0, (signal) => api.webhookSecret(endpoint, signal));
  const [isShown, setShown] = useState(false);
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="card panel" aria-label="Signing secret">
      <header>
        <div>
          <h2>Signing secret</h2>
          <p class="soft">
            {value?.previousUntil === undefined ? (
              "Receivers use it to verify each webhook."
            ) : (
              <>
                The old secret also signs until <When at={value.previousUntil} />.
              </>
            )}
          </p>
        </div>
        <div class="actions">
          <button type="button" class="small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
            <span class="unseen"> the secret</span>
          </button>
          <button type="button" class="small" onClick={() => setAsked(true)}>
            Rotate<span class="unseen"> the secret</span>
          </button>
        </div>
      </header>
      <ErrorNote error={error} retry={reload} />
      {isShown && value !== undefined ? <Secrets of={value} /> : null}
      {isAsked ? (
        <RotateDialog
          title="Rotate the signing secret?"
          verb="Create secret"
          stays="The old secret also signs for"
          close={() => setAsked(false)}
          act={async (overlapMs) => {
            await api.rotateWebhookSecret(endpoint, overlapMs);
            say("Webhooks are now signed with a new secret.");
            setShown(true);
            reload();
          }}
        >
          <p>
            A new secret replaces it. While both sign, each webhook has both signatures, so you can change
            receivers one by one.
          </p>
        </RotateDialog>
      ) : null}
    </section>
  );
}

function Secrets({ of: { secret, previousSecret } }: { of: WebhookSecret }) {
  return (
    <div class="body stack close">
      <Command label="Secret" text={secret} />
      {previousSecret === undefined ? null : (
        <>
          <p class="soft">Old secret:</p>
          <Command label="Old secret" text={previousSecret} />
        </>
      )}
    </div>
  );
}
