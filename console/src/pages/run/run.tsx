import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { Session, Timeline } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Editor } from "../../parts/editor.tsx";
import { Guard } from "../../parts/guard.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo, to } from "../../parts/route.ts";
import { samplesOf } from "../../parts/samples.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { WaitNote } from "../../parts/wait-note.tsx";
import { may } from "../../parts/may.ts";
import { LiveStream } from "../job/live-stream.tsx";

const FIRST_BODY = '{\n  "input": {\n    "name": "world"\n  }\n}';

/** How often the page looks why jobs wait, ms. */
const WAITS_EVERY = 3_000;

interface RunPageProperties {
  readonly session: Session;
  readonly endpoint: string;
  readonly query: URLSearchParams;
}

/** Sends a request, and shows its answer as it arrives. */
export function RunPage({ session, endpoint }: RunPageProperties) {
  const [body, setBody] = useState(FIRST_BODY);
  const [job, setJob] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const wrong = faultIn(body);
  const { isRead, waits } = useWaits(endpoint);
  const lastValid = useRef(body);
  if (wrong === undefined) lastValid.current = body;

  async function run(event: Event): Promise<void> {
    event.preventDefault();
    setError(undefined);
    setJob(undefined);
    try {
      const answer = await api.submit(endpoint, body);
      setJob((await answer.json()).id);
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    }
  }

  return (
    <>
      <PageHead title="Run a request" about="A request becomes a job that a worker of the endpoint runs." />
      <div class="stack">
        <Chooser session={session} endpoint={endpoint} />
        {endpoint === "" || !isRead ? null : (
          <>
            <WaitNote reason={waits} />
            <div class="split">
              <form class="stack close" onSubmit={(event) => void run(event)}>
                <h2 id="body-label">Body</h2>
                <Editor text={body} labelledBy="body-label" change={setBody} />
                <p class={wrong === undefined ? "soft" : "wrong-key"} role="status">
                  <small>{wrong ?? "It is JSON."}</small>
                </p>
                <div class="actions">
                  <button type="submit" class="first" disabled={wrong !== undefined}>
                    Run
                  </button>
                </div>
                <ErrorNote error={error} />
              </form>
              <section class="stack close">
                <h2>Code</h2>
                <CodeView samples={samplesOf(location.origin, endpoint, lastValid.current)} />
              </section>
            </div>
            {job === undefined ? null : <Answer key={job} endpoint={endpoint} job={job} />}
          </>
        )}
      </div>
    </>
  );
}

/** Why jobs of the endpoint wait. What is above the form is known (`isRead`) when the form is drawn. */
function useWaits(endpoint: string) {
  const { value, error } = usePolled(endpoint, WAITS_EVERY, async (signal) => ({
    waits: endpoint === "" ? undefined : (await api.statistics(endpoint, "15m", signal)).now.waits,
  }));
  return { isRead: value !== undefined || error !== undefined, waits: value?.waits };
}

function Chooser({ session, endpoint }: { session: Session; endpoint: string }) {
  const isManager = may(session, "manage") && session.endpoints === undefined;
  const { value, error } = usePolled("endpoints", 0, async (signal) =>
    isManager ? api.endpoints(signal) : (session.endpoints ?? []).map((id) => ({ id, name: id })),
  );
  const [typed, setTyped] = useState(endpoint);
  useEffect(() => {
    // If there is only one, it is chosen.
    const [only, ...others] = value ?? [];
    if (endpoint === "" && only !== undefined && others.length === 0) goTo("run", only.id);
  }, [value, endpoint]);
  if (!isManager && session.endpoints === undefined) {
    return (
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          goTo("run", typed.trim());
        }}
      >
        <label>
          <span class="label">Endpoint id</span>
          <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button type="submit">Choose</button>
      </form>
    );
  }
  return (
    <div class="bar">
      <label>
        <span class="label">Endpoint</span>
        <select value={endpoint} onChange={(event) => goTo("run", event.currentTarget.value)}>
          <option value="" disabled>
            choose one
          </option>
          {value?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <ErrorNote error={error} />
      {value?.length === 0 ? <a href={to("endpoints", "new")}>Create an endpoint first</a> : null}
    </div>
  );
}

/** ms. */
const EVERY = 500;

function Answer({ endpoint, job }: { endpoint: string; job: string }) {
  const [isOver, setOver] = useState(false);
  const { value, error } = usePolled(job, isOver ? 0 : EVERY, async (signal) => {
    const { status, reason } = await api.timeline(endpoint, job, signal);
    const isEnded = status !== "IN_QUEUE" && status !== "IN_PROGRESS";
    return { status, reason, isEnded, text: isEnded ? await api.record(endpoint, job, signal) : undefined };
  });
  useEffect(() => setOver(value?.isEnded ?? false), [value?.isEnded]);
  return (
    <section class="stack close" aria-label="The answer">
      <div class="pager">
        <h2 aria-live="polite">Answer {value === undefined ? null : <Badge state={value.status} />}</h2>
        <a href={to("endpoints", endpoint, "jobs", job)}>Open job</a>
      </div>
      <ErrorNote error={error} />
      <Guard what="The stream">
        <LiveStream endpoint={endpoint} job={job} />
      </Guard>
      <div class="card padded answer">
        {value?.text === undefined ? (
          <Waiting reason={value?.reason} />
        ) : (
          <Guard what="The answer">
            <JsonTree text={value.text} />
          </Guard>
        )}
      </div>
    </section>
  );
}

function Waiting({ reason }: { reason: Timeline["reason"] }) {
  return reason === undefined ? <p class="soft">Waiting or running.</p> : <WaitNote reason={reason} />;
}

/** Why the text cannot be the body of a request; undefined if it can. */
function faultIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isObject = typeof body === "object" && body !== null && "input" in body;
    return isObject ? undefined : "The body must be an object with the member input.";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
