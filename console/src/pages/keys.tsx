import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { type Key, type NewKey, SCOPES, type Scope, type Session } from "../answers.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Field, useSending } from "../parts/field.tsx";
import { Empty, ErrorNote, Loading } from "../parts/note.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { say } from "../parts/toast.tsx";
import { usePolled } from "../parts/use-polled.ts";
import { When } from "../parts/when.tsx";
import { may } from "../shell/app.tsx";

/** ms. */
const EVERY = 5_000;

/** For how long the key from before a rotation stays good, ms. */
const OVERLAPS = [
  { name: "an hour", ms: 3_600_000 },
  { name: "a day", ms: 86_400_000 },
  { name: "a week", ms: 604_800_000 },
  { name: "not at all", ms: 0 },
] as const;

/** The keys of an account: make, change and take back. */
export function KeysPage({ session }: { session: Session }) {
  const [account, setAccount] = useState(session.account.id);
  const { value, error, reload } = usePolled(account, EVERY, (signal) => api.keys(account, signal));
  const [asked, setAsked] = useState<{ what: "revoke" | "rotate"; key: Key }>();
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState<NewKey>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <PageHead title="Keys" about="A program gets a key of its own, which can do no more than it needs.">
        <button type="button" class="first" onClick={() => setMaking(true)}>
          New key
        </button>
      </PageHead>
      <div class="stack">
        {may(session, "admin") ? <AccountChooser account={account} choose={setAccount} /> : null}
        {shown === undefined ? null : <ShownOnce made={shown} close={() => setShown(undefined)} />}
        <ErrorNote error={error} retry={reload} />
        <div class="card">
          {value === undefined && error === undefined ? <Loading /> : null}
          {value?.length === 0 ? <Empty title="This account has no keys" /> : null}
          {value === undefined || value.length === 0 ? null : (
            <KeyTable
              keys={value}
              rotate={(key) => setAsked({ what: "rotate", key })}
              revoke={(key) => setAsked({ what: "revoke", key })}
            />
          )}
        </div>
      </div>
      {isMaking ? (
        <NewKeyDialog
          session={session}
          account={account}
          close={() => setMaking(false)}
          made={(key) => {
            setMaking(false);
            setShown(key);
            reload();
          }}
        />
      ) : null}
      {asked?.what === "revoke" ? (
        <Confirm
          title={`Revoke the key ${asked.key.name}?`}
          verb="Revoke the key"
          close={close}
          act={async () => {
            await api.revokeKey(asked.key.id);
            say(`${asked.key.name} opens nothing any more.`);
            reload();
          }}
        >
          <p>It opens nothing from now on, calls that wait with it end, and nothing brings it back.</p>
        </Confirm>
      ) : null}
      {asked?.what === "rotate" ? (
        <RotateDialog
          of={asked.key}
          close={close}
          made={(key) => {
            close();
            setShown(key);
            reload();
          }}
        />
      ) : null}
    </>
  );
}

function AccountChooser({ account, choose }: { account: string; choose: (id: string) => void }) {
  const { value } = usePolled("accounts", 0, (signal) => api.accounts(signal));
  return (
    <div class="bar">
      <label>
        <span class="label">Account</span>
        <select value={account} onChange={(event) => choose(event.currentTarget.value)}>
          {(value ?? [{ id: account, name: account }]).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function ShownOnce({ made, close }: { made: NewKey; close: () => void }) {
  return (
    <div class="key-shown" role="status">
      <strong>
        The key of {made.name}. It is shown only now: the server keeps no more than its fingerprint.
      </strong>
      <code>{made.key}</code>
      <div class="actions">
        <CopyButton text={made.key} what="The key is copied." />
        <button type="button" class="small" onClick={close}>
          I have it
        </button>
      </div>
    </div>
  );
}

interface NewKeyDialogProperties {
  readonly session: Session;
  readonly account: string;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

const MEANS: Readonly<Record<Scope, string>> = {
  read: "read jobs and results",
  write: "and submit, cancel and retry jobs",
  manage: "and set up endpoints, templates, workers and keys",
  admin: "and all accounts: the operator of the server",
};

function NewKeyDialog({ session, account, close, made }: NewKeyDialogProperties) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("write");
  const [endpoints, setEndpoints] = useState<readonly string[]>([]);
  const { fault, isBusy, send } = useSending();
  const isOwn = account === session.account.id;
  const { value: all = [] } = usePolled(`endpoints ${account}`, 0, async (signal) =>
    isOwn ? api.endpoints(signal) : [],
  );

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    const bound = endpoints.length === 0 || scope === "admin" ? {} : { endpoints };
    await send(async () => made(await api.createKey({ name, scopes: [scope], account, ...bound })));
  }

  return (
    <Dialog title="New key" close={close}>
      <form onSubmit={(event) => void create(event)}>
        <Field
          label="Name"
          hint="Who holds it."
          wrong={fault?.member === "name" ? fault.sentence : undefined}
        >
          {(given) => (
            <input {...given} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <fieldset>
          <legend class="label">It may</legend>
          <div class="stack close">
            {SCOPES.filter((each) => may(session, each)).map((each) => (
              <label key={each} class="check">
                <input type="radio" name="scope" checked={each === scope} onChange={() => setScope(each)} />
                <span>
                  <strong>{each}</strong> <span class="soft">{MEANS[each]}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        {all.length === 0 || scope === "admin" ? null : (
          <Field
            label="Only these endpoints"
            hint="None chosen: all of the account. Hold Ctrl to choose several."
          >
            {(given) => (
              <select
                {...given}
                multiple
                size={Math.min(5, all.length + 1)}
                onChange={(event) =>
                  setEndpoints([...event.currentTarget.selectedOptions].map(({ value }) => value))
                }
              >
                {all.map((endpoint) => (
                  <option key={endpoint.id} value={endpoint.id}>
                    {endpoint.name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <ErrorNote error={fault?.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            Leave it
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Make the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function RotateDialog({ of, close, made }: { of: Key; close: () => void; made: (key: NewKey) => void }) {
  const [overlap, setOverlap] = useState(86_400_000);
  return (
    <Confirm
      title={`Rotate the key ${of.name}?`}
      verb="Make the new key"
      isDangerous={false}
      close={close}
      act={async () => made(await api.rotateKey(of.id, overlap))}
    >
      <p>
        A new key takes its place. The one before it can stay good for a while, in which you hand the new one
        out.
      </p>
      <Field label="The key from before stays good for">
        {(given) => (
          <select
            {...given}
            value={String(overlap)}
            onChange={(event) => setOverlap(Number(event.currentTarget.value))}
          >
            {OVERLAPS.map(({ name, ms }) => (
              <option key={ms} value={String(ms)}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Confirm>
  );
}

interface KeyTableProperties {
  readonly keys: readonly Key[];
  readonly rotate: (key: Key) => void;
  readonly revoke: (key: Key) => void;
}

function KeyTable({ keys, rotate, revoke }: KeyTableProperties) {
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Keys</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Scope</th>
            <th scope="col">Endpoints</th>
            <th scope="col">Made</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="unseen">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.name} <small class="soft mono">{key.id}</small>
              </th>
              <td>{key.scopes.join(", ")}</td>
              <td class="mono">{key.endpoints?.join(", ") ?? "all"}</td>
              <td>
                <When at={key.createdAt} />
              </td>
              <td>
                <When at={key.lastUsedAt} />
              </td>
              <td>
                <div class="actions">
                  <button type="button" class="small" onClick={() => rotate(key)}>
                    Rotate<span class="unseen"> {key.name}</span>
                  </button>
                  <button type="button" class="small danger" onClick={() => revoke(key)}>
                    Revoke<span class="unseen"> {key.name}</span>
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
