import { useState } from "preact/hooks";
import type { Host } from "../../answers.ts";
import { api } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { to } from "../../parts/route.ts";
import { figures, TableCard } from "../../parts/table-card.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { NewHostDialog } from "./new-host-dialog.tsx";

/** ms. */
const EVERY = 5_000;

/** The hosts where workers run. For operators. */
export function HostsPage() {
  const { value, error, reload } = usePolled("hosts", EVERY, (signal) => api.hosts(signal));
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHead title="Hosts" about="Where workers run. Each GPU belongs to one worker at a time.">
        <button type="button" class="first" onClick={() => setCreating(true)}>
          New host
        </button>
      </PageHead>
      <div class="stack close">
        <TableCard
          caption="Hosts"
          columns={["Host", "State", "GPUs", figures("Workers"), "Address"]}
          rows={value}
          error={error}
          retry={reload}
          empty={<Empty title="No hosts" />}
        >
          {(host) => <HostRow key={host.name} host={host} />}
        </TableCard>
      </div>
      {isCreating ? (
        <NewHostDialog
          close={() => setCreating(false)}
          made={(name) => {
            setCreating(false);
            say(`${name} is created.`);
            reload();
          }}
        />
      ) : null}
    </>
  );
}

function HostRow({ host }: { host: Host }) {
  const { name, provider, workers, address } = host;
  return (
    <tr>
      <th scope="row">
        <a href={to("hosts", name)}>{name}</a>
      </th>
      <td>
        <HostState host={host} />
      </td>
      <td>{gpusText(host)}</td>
      <td class="number">{workers.length}</td>
      <td>{address ?? (provider === "process" ? "processes of this machine" : "–")}</td>
    </tr>
  );
}

/** Whether the host gets workers, and why not. */
export function HostState({ host: { away, isDraining } }: { host: Host }) {
  const state = away !== undefined ? "AWAY" : isDraining ? "DRAINING" : "READY";
  return (
    <>
      <Badge state={state} />
      {away === undefined ? null : <small class="soft"> {away}</small>}
    </>
  );
}

/** How many GPUs are in use, such as `3 of 8 in use, 1 out of use`. */
function gpusText({ gpus, gpuFault }: Host): string {
  if (gpus.length === 0) return gpuFault === undefined ? "none" : "not known";
  const count = (state: Host["gpus"][number]["state"]): number =>
    gpus.filter((gpu) => gpu.state === state).length;
  const failed = count("OUT_OF_USE");
  return `${count("ALLOCATED")} of ${gpus.length} in use${failed === 0 ? "" : `, ${failed} out of use`}`;
}
