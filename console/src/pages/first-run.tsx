import { useState } from "preact/hooks";
import { api, ApiError } from "../api.ts";
import type { EndpointFigures } from "../answers.ts";
import { Badge } from "../parts/badge.tsx";
import { Command } from "../parts/copy.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { ErrorNote } from "../parts/note.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { to } from "../parts/route.ts";
import { usePolled } from "../parts/use-polled.ts";
import { WaitNote } from "../parts/wait-note.tsx";
import { say } from "../parts/toast.tsx";
import { samplesOf } from "../parts/samples.ts";

/** How often the page looks for a first job, and at its record, ms. */
const NEWEST_EVERY = 2_500;
const ANSWER_EVERY = 500;

/** For a server without jobs: how to run the first one. */
export function FirstRun({ endpoint, leave }: { endpoint: EndpointFigures | undefined; leave: () => void }) {
  return (
    <>
      <PageHead
        title="Your first job"
        about="An endpoint is a queue and its workers. A job is one request to it."
      />
      <div class="card padded">
        {endpoint === undefined ? <MakeEndpoint /> : <FirstJob endpoint={endpoint} leave={leave} />}
      </div>
    </>
  );
}

function MakeEndpoint() {
  return (
    <ol class="steps">
      <li>
        <div>
          <h2>Create an endpoint</h2>
          <p class="soft">Give it a name. You can add a template later, or connect your own workers.</p>
          <div>
            <a class="button first" href={to("endpoints", "new")}>
              New endpoint
            </a>
          </div>
        </div>
      </li>
      <li>
        <div>
          <h2>Start a worker</h2>
          <p class="soft">In front of a running model server, without code:</p>
          <Command
            label="Worker in front of a model server"
            text="forebay worker --endpoint NAME --http http://127.0.0.1:11434/v1"
          />
        </div>
      </li>
      <li>
        <div>
          <h2>Send the first request</h2>
          <p class="soft">This page then shows the answer.</p>
        </div>
      </li>
    </ol>
  );
}

function FirstJob({ endpoint, leave }: { endpoint: EndpointFigures; leave: () => void }) {
  const { isHello, body, curl } = firstRequest(endpoint.endpointId);
  const [job, setJob] = useState<string>();
  const [error, setError] = useState<ApiError>();
  // Also finds a job that was sent another way, for example with the command.
  const { value: newest } = usePolled(`newest ${endpoint.endpointId}`, NEWEST_EVERY, (signal) =>
    api.newestJob(endpoint.endpointId, signal),
  );
  const shown = job ?? newest?.id;

  async function run(): Promise<void> {
    setError(undefined);
    try {
      const answer = await api.submit(endpoint.endpointId, body);
      setJob((await answer.json()).id);
      say("The job is queued.");
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    }
  }

  return (
    <ol class="steps">
      <li>
        <div>
          <h2>
            Send a request to <code>{endpoint.name}</code>
          </h2>
          <WaitNote reason={endpoint.now.waits} />
          <Command label="Request with curl" text={curl} />
          <div class="actions">
            <button type="button" class="first" onClick={() => void run()}>
              Send it here
            </button>
            {isHello ? null : (
              <a class="button" href={to("endpoints", endpoint.endpointId, "workers")}>
                Connect a worker
              </a>
            )}
          </div>
          <ErrorNote error={error} />
        </div>
      </li>
      <li>
        <div>
          <h2>See the answer</h2>
          {shown === undefined ? (
            <p class="soft">No request yet. The answer appears here, wherever the request comes from.</p>
          ) : (
            <FirstAnswer endpoint={endpoint.endpointId} job={shown} leave={leave} />
          )}
        </div>
      </li>
    </ol>
  );
}

function firstRequest(endpoint: string) {
  const isHello = endpoint === "hello";
  const body = isHello ? '{"input": {"name": "Forebay"}}' : '{"input": {}}';
  return { isHello, body, curl: samplesOf(location.origin, endpoint, body).curl };
}

function FirstAnswer({ endpoint, job, leave }: { endpoint: string; job: string; leave: () => void }) {
  const { value: text, error } = usePolled(job, ANSWER_EVERY, (signal) => api.record(endpoint, job, signal));
  if (text === undefined) return <ErrorNote error={error} />;
  const { status } = JSON.parse(text);
  return (
    <div class="stack close" aria-live="polite">
      <div>
        <Badge state={status} />
      </div>
      <JsonTree text={text} />
      <div class="actions">
        <a class="button" href={to("endpoints", endpoint, "jobs", job)}>
          Open job
        </a>
        <button type="button" onClick={leave}>
          Go to endpoints
        </button>
      </div>
    </div>
  );
}
