import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Endpoint, type NewKey, RANKS, type Scope, type Session } from "../../answers.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { may } from "../../parts/may.ts";

interface NewKeyDialogProperties {
  readonly session: Session;
  readonly account: string;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

const MEANS: Readonly<Record<Scope, string>> = {
  read: "read jobs and results",
  write: "also submit, cancel and retry jobs",
  manage: "also manage endpoints, templates, workers and keys",
  admin: "also manage all accounts: the operator of the server",
  metrics: "only read metrics, for Prometheus",
};

/** Creates a key with at most the rights of the session. */
export function NewKeyDialog({ session, account, close, made }: NewKeyDialogProperties) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("write");
  const [endpoints, setEndpoints] = useState<readonly string[]>([]);
  const { fault, isBusy, send } = useSending();
  const isOwn = account === session.account.id;
  const isOperators = scope === "admin" || scope === "metrics";
  const { value: all = [] } = usePolled(`endpoints ${account}`, 0, async (signal) =>
    isOwn ? api.endpoints(signal) : [],
  );

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    const bound = endpoints.length === 0 || isOperators ? {} : { endpoints };
    await send(async () => made(await api.createKey({ name, scopes: [scope], account, ...bound })));
  }

  return (
    <Dialog title="New key" close={close}>
      <form onSubmit={(event) => void create(event)}>
        <Field label="Name" hint="Who uses it." wrong={wrongOf(fault, "name")}>
          {(given) => (
            <input {...given} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <ScopeChoice scopes={scopesFor(session)} scope={scope} choose={setScope} />
        {all.length === 0 || isOperators ? null : <EndpointsChoice endpoints={all} choose={setEndpoints} />}
        <ErrorNote error={fault?.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Create key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ScopeChoiceProperties {
  readonly scopes: readonly Scope[];
  readonly scope: Scope;
  readonly choose: (scope: Scope) => void;
}

function ScopeChoice({ scopes, scope, choose }: ScopeChoiceProperties) {
  return (
    <fieldset>
      <legend class="label">Scopes</legend>
      <div class="stack close">
        {scopes.map((each) => (
          <label key={each} class="check">
            <input type="radio" name="scope" checked={each === scope} onChange={() => choose(each)} />
            <span>
              <strong>{each}</strong> <span class="soft">{MEANS[each]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface EndpointsChoiceProperties {
  readonly endpoints: readonly Endpoint[];
  readonly choose: (ids: readonly string[]) => void;
}

function EndpointsChoice({ endpoints, choose }: EndpointsChoiceProperties) {
  return (
    <Field
      label="Only these endpoints"
      hint="Default: all endpoints of the account. Hold Ctrl to choose several."
    >
      {(given) => (
        <select
          {...given}
          multiple
          size={Math.min(5, endpoints.length + 1)}
          onChange={(event) => choose([...event.currentTarget.selectedOptions].map(({ value }) => value))}
        >
          {endpoints.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function scopesFor(session: Session): Scope[] {
  const ranks = RANKS.filter((each) => may(session, each));
  return may(session, "admin") ? [...ranks, "metrics"] : ranks;
}
