import type { Session } from "../answers.ts";
import { AccountsPage } from "../pages/accounts.tsx";
import { EndpointPage, isTab } from "../pages/endpoint/endpoint.tsx";
import { NewEndpointPage } from "../pages/endpoint/new-endpoint.tsx";
import { HostPage } from "../pages/hosts/host.tsx";
import { HostsPage } from "../pages/hosts/hosts.tsx";
import { JobPage } from "../pages/job/job.tsx";
import { JobsPage } from "../pages/jobs/job-list.tsx";
import { RunningOperations } from "../pages/jobs/running-operations.tsx";
import { KeysPage } from "../pages/keys/keys.tsx";
import { OverviewPage } from "../pages/overview.tsx";
import { RunPage } from "../pages/run/run.tsx";
import { TemplatesPage } from "../pages/templates/templates.tsx";
import { placeOf } from "../parts/job-filters.ts";
import { may } from "../parts/may.ts";
import { Empty } from "../parts/note.tsx";
import { PageHead } from "../parts/page-head.tsx";
import type { Route } from "../parts/route.ts";

/** The page of an address, if the key of the session may see it. */
export function pageOf({ parts, query }: Route, session: Session) {
  const [first = "", id = "", second = ""] = parts;
  const { length } = parts;
  if (first === "" || (first === "endpoints" && length === 1)) return <OverviewPage session={session} />;
  if (first === "endpoints") return endpointPageOf({ parts, query }, session);
  if (first === "jobs" && length === 1)
    return (
      <>
        <JobsPage session={session} query={query} />
        <RunningOperations session={session} />
      </>
    );
  if (first === "run" && length <= 2 && may(session, "write"))
    return <RunPage key={id} session={session} endpoint={id} query={query} />;
  if (first === "templates" && length <= 3 && may(session, "manage"))
    return second === "" || second === "edit" ? <TemplatesPage parts={parts.slice(1)} /> : <NoPage />;
  if (first === "keys" && length === 1 && may(session, "manage")) return <KeysPage session={session} />;
  if (first === "accounts" && length === 1 && may(session, "admin")) return <AccountsPage />;
  if (first === "hosts" && length <= 2 && may(session, "admin"))
    return id === "" ? <HostsPage /> : <HostPage key={id} name={id} />;
  return <NoPage />;
}

function endpointPageOf({ parts, query }: Route, session: Session) {
  const [, id = "", tab = "figures", job] = parts;
  if (id === "new" && parts.length === 2) return <NewEndpointPage query={query} />;
  if (job !== undefined && tab === "jobs" && parts.length === 4)
    return (
      <JobPage key={`${id}/${job}`} session={session} place={placeOf(id, query)} endpoint={id} job={job} />
    );
  if (job === undefined && isTab(tab))
    return <EndpointPage key={id} session={session} id={id} tab={tab} query={query} />;
  return <NoPage />;
}

/** For an address without a page. */
function NoPage() {
  return (
    <>
      <PageHead title="No such page" />
      <div class="card">
        <Empty title="There is no page at this address">
          <p>
            <code>{location.hash}</code> is not a page of the console, or the key with which you signed in
            does not open it.
          </p>
          <div>
            <a class="button first" href="#/">
              Go to endpoints
            </a>
          </div>
        </Empty>
      </div>
    </>
  );
}
