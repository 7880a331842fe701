import { useState } from "preact/hooks";
import type { Host } from "../../answers.ts";
import { api } from "../../api.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { goTo } from "../../parts/route.ts";
import { attempt, say } from "../../parts/toast.tsx";
import { useSaved } from "../../parts/use-saved.ts";
import { LabelsDialog } from "./labels-dialog.tsx";

/** The buttons that drain a host, end its drain, change its labels, and delete it. */
export function HostActions({ host, reload }: { host: Host; reload: () => void }) {
  const { name, isDraining, isConfigured } = host;
  const [shown, keep] = useSaved(host);
  const [isDoomed, setDoomed] = useState(false);
  const [isLabelling, setLabelling] = useState(false);

  async function drain(): Promise<void> {
    await api.updateHost(name, { isDraining: !isDraining });
    say(isDraining ? `${name} can get new workers again.` : `${name} gets no new workers.`);
    reload();
  }

  return (
    <>
      <button type="button" onClick={() => void attempt(drain)}>
        {isDraining ? "Resume" : "Drain"}
      </button>
      <button type="button" onClick={() => setLabelling(true)}>
        Labels
      </button>
      {isConfigured ? null : (
        <button type="button" class="danger" onClick={() => setDoomed(true)}>
          Delete
        </button>
      )}
      {isLabelling ? (
        <LabelsDialog
          host={shown}
          close={() => setLabelling(false)}
          changed={(saved) => {
            keep(saved);
            setLabelling(false);
            say("The labels are saved.");
            reload();
          }}
        />
      ) : null}
      {isDoomed ? <DeleteHost host={host} close={() => setDoomed(false)} /> : null}
    </>
  );
}

function DeleteHost({ host: { name, away, workers }, close }: { host: Host; close: () => void }) {
  const isLost = workers.length > 0 && away !== undefined;
  async function remove(): Promise<void> {
    await api.deleteHost(name, isLost);
    say(`${name} is deleted.`);
    goTo("hosts");
  }
  return (
    <Confirm title={`Delete the host ${name}?`} verb="Delete host" typed={name} close={close} act={remove}>
      {workers.length === 0 ? (
        <p>The host has no workers. You can create it again.</p>
      ) : (
        <p>
          It has {workers.length === 1 ? "1 worker" : `${workers.length} workers`}.{" "}
          {isLost
            ? "Delete it only if the host will never run again: their jobs run elsewhere, and other " +
              "workers get their GPUs."
            : "Drain it first, and delete it when they are gone."}
        </p>
      )}
    </Confirm>
  );
}
