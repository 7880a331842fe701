import type { Endpoint, Host } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/note.tsx";
import { to } from "../../parts/route.ts";
import { figures, TableCard } from "../../parts/table-card.tsx";
import { countText } from "../../parts/when.tsx";

type Gpu = Host["gpus"][number];

interface GpuTableProperties {
  readonly host: Host;
  readonly endpoints: readonly Endpoint[];
  readonly retry: () => void;
}

/** The GPUs of a host, and the worker that has each of them. */
export function GpuTable({ host, endpoints, retry }: GpuTableProperties) {
  return (
    <>
      {host.gpuFault === undefined ? null : (
        <div class="note warn" role="status">
          <span>Workers with GPUs do not start here: {host.gpuFault}</span>
        </div>
      )}
      <h2>GPUs</h2>
      <TableCard
        caption="GPUs"
        columns={[figures("Card"), "Model", "State", "Used by", figures("Busy"), figures("Memory"), "UUID"]}
        rows={host.gpus}
        error={undefined}
        retry={retry}
        empty={<Empty title="No GPUs" />}
      >
        {(gpu) => <GpuRow key={gpu.uuid ?? gpu.reason} gpu={gpu} endpoints={endpoints} />}
      </TableCard>
    </>
  );
}

function GpuRow({ gpu, endpoints }: { gpu: Gpu; endpoints: readonly Endpoint[] }) {
  const { uuid, index, name, utilization, state, reason, worker } = gpu;
  return (
    <tr>
      <td class="number">{index ?? "–"}</td>
      <th scope="row">{name ?? "Unknown"}</th>
      <td>
        <Badge state={state} />
        {reason === undefined ? null : <small class="soft reason">{reason}</small>}
      </td>
      <td>
        {worker === undefined ? (
          <span class="soft">–</span>
        ) : (
          <>
            <EndpointLink id={worker.endpoint} endpoints={endpoints} />{" "}
            <small class="soft mono">{worker.id}</small>
          </>
        )}
      </td>
      <td class="number">{utilization === undefined ? "–" : `${Math.round(utilization * 100)} %`}</td>
      <td class="number">{memoryText(gpu)}</td>
      <td class="mono">{uuid ?? "–"}</td>
    </tr>
  );
}

/** What programs use of its memory, such as `1,024 of 46,068 MB`, as far as the driver tells. */
function memoryText({ memoryInMb, memoryUsedInMb }: Gpu): string {
  if (memoryInMb === undefined) return "–";
  const used = memoryUsedInMb === undefined ? "" : `${countText(memoryUsedInMb)} of `;
  return `${used}${countText(memoryInMb)} MB`;
}

interface EndpointLinkProperties {
  readonly id: string;
  /** Those of the account. */
  readonly endpoints: readonly Endpoint[];
}

/** The workers of an endpoint. Of an endpoint of another account only the id is shown. */
export function EndpointLink({ id, endpoints }: EndpointLinkProperties) {
  const own = endpoints.find((endpoint) => endpoint.id === id);
  if (own === undefined) return <span class="mono">{id}</span>;
  return <a href={to("endpoints", id, "workers")}>{own.name}</a>;
}
