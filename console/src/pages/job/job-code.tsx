import { api } from "../../api.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Command } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { commandOf, samplesOf, shellWord } from "../../parts/samples.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { sizeText } from "../../parts/when.tsx";

/** Longer inputs are no literals of a program, characters. */
const MOST = 20_000;

interface JobCodeProperties {
  readonly endpoint: string;
  readonly job: string;
  readonly close: () => void;
}

/** A request with the input of this job, as code. */
export function JobCode({ endpoint, job, close }: JobCodeProperties) {
  const { value, error } = usePolled(`code ${job}`, 0, (signal) => api.input(job, signal));
  return (
    <Dialog title="Send this input from a program" close={close} isBroad={true}>
      <ErrorNote error={error} />
      {value === undefined ? null : value.length > MOST ? (
        <div class="stack close">
          <p>The input has {sizeText(value.length)}. These commands send it again:</p>
          <Command
            text={fileCommands(shellWord(endpoint), shellWord(job))}
            label="The request with the CLI"
          />
        </div>
      ) : (
        <CodeView samples={jobSamples(endpoint, value)} />
      )}
      {value === undefined && error === undefined ? <Loading /> : null}
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function fileCommands(endpoint: string, job: string): string {
  return `forebay input ${endpoint} ${job} > input.json\nforebay runsync ${endpoint} @input.json`;
}

function jobSamples(endpoint: string, input: string): Record<string, string> {
  return {
    ...samplesOf(location.origin, endpoint, `{"input":${input}}`),
    CLI: commandOf(endpoint, input) ?? "# The command would round a number of this input. Use curl.",
  };
}
