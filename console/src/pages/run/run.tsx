import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { Session } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/copy.tsx";
import { Editor } from "../../parts/editor.tsx";
import { Guard } from "../../parts/guard.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo, to } from "../../parts/route.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { may } from "../../parts/may.ts";
import { LiveStream } from "../job/live-stream.tsx";
import { type Snippets, snippetsOf } from "./snippets.ts";

const FIRST_BODY = '{\n  "input": {\n    "name": "world"\n  }\n}';

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
        {endpoint === "" ? null : (
          <>
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
              <CodeView snippets={snippetsOf(endpoint, compact(body))} />
            </div>
            {job === undefined ? null : <Answer key={job} endpoint={endpoint} job={job} />}
          </>
        )}
      </div>
    </>
  );
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

const LANGUAGES = ["curl", "Python", "JavaScript"] as const satisfies readonly (keyof Snippets)[];

function CodeView({ snippets }: { snippets: Snippets }) {
  const [language, setLanguage] = useState<keyof Snippets>("curl");
  return (
    <section class="stack close">
      <div class="pager">
        <h2>Code</h2>
        <div class="actions" role="group" aria-label="Language">
          {LANGUAGES.map((each) => (
            <button
              key={each}
              type="button"
              class={each === language ? "small chosen" : "small"}
              aria-pressed={each === language}
              onClick={() => setLanguage(each)}
            >
              {each}
            </button>
          ))}
        </div>
      </div>
      <Command text={snippets[language]} label={`Request with ${language}`} />
      <p class="soft">
        <small>
          <code>FOREBAY_KEY</code> is a key with the scope write. Create one for each program under Keys.
        </small>
      </p>
    </section>
  );
}

/** ms. */
const EVERY = 500;

function Answer({ endpoint, job }: { endpoint: string; job: string }) {
  const [isOver, setOver] = useState(false);
  const { value, error } = usePolled(job, isOver ? 0 : EVERY, async (signal) => {
    const { status } = await api.timeline(endpoint, job, signal);
    const isEnded = status !== "IN_QUEUE" && status !== "IN_PROGRESS";
    return { status, isEnded, text: isEnded ? await api.record(endpoint, job, signal) : undefined };
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
          <p class="soft">Waiting or running.</p>
        ) : (
          <Guard what="The answer">
            <JsonTree text={value.text} />
          </Guard>
        )}
      </div>
    </section>
  );
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

/** On one line, with every number as it was typed. */
function compact(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
