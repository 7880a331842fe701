import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Editor } from "../../parts/editor.tsx";
import { indentedJson } from "../../parts/json-text.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { goTo } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { sizeText } from "../../parts/when.tsx";

/** Longer inputs are sent as they are: an editor of the browser becomes slow, characters. */
const MOST = 200_000;

interface RunAgainProperties {
  readonly endpoint: string;
  readonly job: string;
  readonly close: () => void;
}

/** Submits a new job with the input of this one, which can be changed before. */
export function RunAgain({ endpoint, job, close }: RunAgainProperties) {
  const { value, error: fault } = usePolled(`again ${job}`, 0, (signal) => api.input(job, signal));
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const isLong = value !== undefined && value.length > MOST;
  useEffect(() => {
    if (value !== undefined && !isLong) setText(indentedJson(value));
  }, [value, isLong]);
  const wrong = value === undefined || isLong ? undefined : faultIn(text);

  async function run(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      const answer = await api.submit(endpoint, `{"input":${isLong ? value : text}}`);
      const { id } = await answer.json();
      close();
      say("A new job is queued.");
      goTo("endpoints", endpoint, "jobs", id);
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setBusy(false);
    }
  }

  return (
    <Dialog title="Run again" close={close} isBroad={true}>
      <form onSubmit={(event) => void run(event)}>
        <ErrorNote error={fault ?? error} />
        {value === undefined ? (
          fault === undefined ? (
            <Loading />
          ) : null
        ) : isLong ? (
          <p>The input has {sizeText(value.length)}. It is sent unchanged.</p>
        ) : (
          <div class="stack close">
            <h3 id="input-label">Input</h3>
            <Editor text={text} labelledBy="input-label" change={setText} />
            <p class={wrong === undefined ? "soft" : "wrong-key"} role="status">
              <small>
                {wrong ?? "The input is a JSON object. The webhook and policy of the job are not sent."}
              </small>
            </p>
          </div>
        )}
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy || value === undefined || wrong !== undefined}>
            Run
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why the text cannot be an input; undefined if it can. */
function faultIn(text: string): string | undefined {
  try {
    const input: unknown = JSON.parse(text);
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    return isObject ? undefined : 'The input must be a JSON object, such as {"name": "world"}.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
