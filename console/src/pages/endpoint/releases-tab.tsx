import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Endpoint, Release, Worker } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { ACTS, TableCard } from "../../parts/table-card.tsx";
import { attempt, say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { When } from "../../parts/when.tsx";

/** ms. */
const EVERY = 1_500;

/** The newest release is shown separately while it needs attention. */
const SHOWN: ReadonlySet<Release["state"]> = new Set(["ROLLING", "PAUSED", "STOPPED"]);

const COLUMNS = ["Version", "State", "Image", "Began", "First worker", "Complete", ACTS];

/** The releases of an endpoint: their progress, and how to roll back. */
export function ReleasesTab({ endpoint }: { endpoint: Endpoint }) {
  const { value, error, reload } = usePolled(endpoint.id, EVERY, async (signal) => ({
    ...(await api.releases(endpoint.id, signal)),
    ...(await api.workers(endpoint.id, signal)),
  }));
  const [back, setBack] = useState<Release>();
  // Waits for all parts: the newest release is shown above the list, and would move it.
  if (value === undefined)
    return error === undefined ? <Loading /> : <ErrorNote error={error} retry={reload} />;
  const { releases, workers } = value;
  const [newest] = releases;
  return (
    <div class="stack close">
      {newest !== undefined && SHOWN.has(newest.state) ? (
        <Rolling endpoint={endpoint} release={newest} workers={workers} changed={reload} />
      ) : null}
      <TableCard
        caption="Releases"
        columns={COLUMNS}
        rows={releases}
        error={error}
        retry={reload}
        empty={
          <Empty title="No releases">
            <p>
              Forebay starts no workers for this endpoint. If you choose a template, it does, and each change
              of the template is a release that replaces workers one by one.
            </p>
          </Empty>
        }
      >
        {(release) => (
          <ReleaseRow
            key={release.version}
            release={release}
            rollBack={release === newest ? undefined : () => setBack(release)}
          />
        )}
      </TableCard>
      {back === undefined ? null : (
        <Confirm
          title={`Roll back to version ${back.version}?`}
          verb="Roll back"
          isDangerous={false}
          close={() => setBack(undefined)}
          act={async () => {
            const { version } = await api.rollBack(endpoint.id, back.version);
            say(`Version ${version} starts workers as version ${back.version} did.`);
            reload();
          }}
        >
          <p>
            A new release starts workers from <code>{back.imageName}</code> as version {back.version} did. It
            replaces running workers one by one, and no job is lost.
          </p>
        </Confirm>
      )}
    </div>
  );
}

interface RollingProperties {
  readonly endpoint: Endpoint;
  readonly release: Release;
  readonly workers: readonly Worker[];
  readonly changed: () => void;
}

function Rolling({ endpoint, release, workers, changed }: RollingProperties) {
  const managed = workers.filter((worker) => worker.managed);
  const fresh = managed.filter(
    (worker) => worker.version === release.version && worker.state !== "INITIALIZING",
  );

  const isPaused = release.state === "PAUSED";

  async function pause(isWanted: boolean): Promise<void> {
    await api.pauseRelease(endpoint.id, release.version, isWanted);
    say(isWanted ? "Paused. Both versions run, and no worker is replaced." : "The release is resumed.");
    changed();
  }

  return (
    <section class="card padded stack close" aria-label={`Release ${release.version}`}>
      <div class="pager">
        <h2>
          Version {release.version} <Badge state={release.state} />
        </h2>
        {release.state === "STOPPED" ? null : (
          <button type="button" class="small" onClick={() => void attempt(() => pause(!isPaused))}>
            {isPaused ? "Resume" : "Pause"}
            <span class="unseen"> the release</span>
          </button>
        )}
      </div>
      <p>
        {fresh.length} of {managed.length} workers have this version
        {release.state === "STOPPED"
          ? ". The release was stopped, and workers of the old version keep running."
          : "."}
        {isPaused ? (
          <>
            {" "}
            Paused <When at={release.pausedAt} />: no worker is replaced until it is resumed.
          </>
        ) : null}
      </p>
      <progress
        max={Math.max(1, managed.length)}
        value={fresh.length}
        aria-label="Workers of the new version"
      />
      {release.stopped === undefined ? null : (
        <div class="note bad">
          <div>
            <p>
              No worker could start: {release.stopped.lastExit.how} (<When at={release.stopped.at} />
              ).
            </p>
            {release.stopped.lastExit.lastLines.length === 0 ? null : (
              <pre>{release.stopped.lastExit.lastLines.join("\n")}</pre>
            )}
          </div>
        </div>
      )}
    </section>
  );
}

interface ReleaseRowProperties {
  readonly release: Release;
  /** Undefined for the newest one. */
  readonly rollBack: (() => void) | undefined;
}

function ReleaseRow({ release, rollBack }: ReleaseRowProperties) {
  return (
    <tr>
      <th scope="row">
        {release.version}
        {release.rollbackTo === undefined ? null : <small class="soft"> back to {release.rollbackTo}</small>}
      </th>
      <td>
        <Badge state={release.state} />
      </td>
      <td class="mono">{release.imageName}</td>
      <td>
        <When at={release.createdAt} />
      </td>
      <td>
        <When at={release.servedAt} />
      </td>
      <td>
        <When at={release.completeAt} />
      </td>
      <td>
        <div class="actions">
          {rollBack === undefined ? null : (
            <button type="button" class="small" onClick={rollBack}>
              Roll back<span class="unseen"> to version {release.version}</span>
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}
