import type { Endpoint, Host } from "../../answers.ts";
import { api } from "../../api.ts";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { to } from "../../parts/route.ts";
import { figures, TableCard } from "../../parts/table-card.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { countText, When } from "../../parts/when.tsx";
import { EndpointLink, GpuTable } from "./gpu-table.tsx";
import { HostActions } from "./host-actions.tsx";
import { HostState } from "./hosts.tsx";

/** ms. */
const EVERY = 5_000;

/** A host: what it has, which worker has each of its GPUs, and its workers. */
export function HostPage({ name }: { name: string }) {
  const { value, error, reload } = usePolled(name, EVERY, async (signal) => ({
    host: await api.host(name, signal),
    // Those of other accounts have no names here.
    endpoints: await api.endpoints(signal),
  }));
  return (
    <>
      <PageHead title={name} from={{ name: "Hosts", href: to("hosts") }}>
        {value === undefined ? null : <HostActions host={value.host} reload={reload} />}
      </PageHead>
      <div class="stack close">
        <ErrorNote error={error} retry={reload} />
        {value === undefined && error === undefined ? <Loading /> : null}
        {value === undefined ? null : (
          <>
            <HostFacts host={value.host} />
            <GpuTable host={value.host} endpoints={value.endpoints} retry={reload} />
            <Workers workers={value.host.workers} endpoints={value.endpoints} retry={reload} />
          </>
        )}
      </div>
    </>
  );
}

function HostFacts({ host }: { host: Host }) {
  const { address, labels, cores, memoryInMb, diskFreeInMb } = host;
  const facts = [
    ["Address", address],
    ["Labels", labels.length === 0 ? undefined : labels.join(", ")],
    ["Cores", cores?.toString()],
    ["Memory", megabytes(memoryInMb)],
    ["Free disk", megabytes(diskFreeInMb)],
  ] as const;
  return (
    <section class="card padded" aria-label="The host">
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>
            <HostState host={host} />
          </dd>
        </div>
        {facts.map(([label, text]) =>
          text === undefined ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function megabytes(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${countText(count)} MB`;
}

interface WorkersProperties {
  readonly workers: Host["workers"];
  readonly endpoints: readonly Endpoint[];
  readonly retry: () => void;
}

function Workers({ workers, endpoints, retry }: WorkersProperties) {
  return (
    <>
      <h2>Workers</h2>
      <TableCard
        caption="Workers of the host"
        columns={["Worker", "Endpoint", figures("GPUs"), "Started"]}
        rows={workers}
        error={undefined}
        retry={retry}
        empty={
          <Empty title="No workers on this host">
            <p>Forebay starts workers when jobs need them.</p>
          </Empty>
        }
      >
        {({ id, endpoint, gpus, startedAt }) => (
          <tr key={id}>
            <th scope="row" class="mono">
              {id}
            </th>
            <td>
              <EndpointLink id={endpoint} endpoints={endpoints} />
            </td>
            <td class="number">{gpus.length}</td>
            <td>
              <When at={startedAt} />
            </td>
          </tr>
        )}
      </TableCard>
    </>
  );
}
