import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Key, NewKey, Session } from "../../answers.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { RotateDialog } from "../../parts/rotate-dialog.tsx";
import { ACTS, TableCard } from "../../parts/table-card.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { may } from "../../parts/may.ts";
import { type AskedOfKey, KeyRow } from "./key-row.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** ms. */
const EVERY = 5_000;

/** The keys of an account: create, rotate and revoke. */
export function KeysPage({ session }: { session: Session }) {
  const [account, setAccount] = useState(session.account.id);
  const { value, error, reload } = usePolled(account, EVERY, (signal) => api.keys(account, signal));
  const [asked, setAsked] = useState<AskedOfKey>();
  const [isCreating, setCreating] = useState(false);
  const [shown, setShown] = useState<NewKey>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <PageHead title="Keys" about="Create a key for each program, with only the scopes it needs.">
        <button type="button" class="first" onClick={() => setCreating(true)}>
          New key
        </button>
      </PageHead>
      <div class="stack">
        {may(session, "admin") ? <AccountChooser account={account} choose={setAccount} /> : null}
        {shown === undefined ? null : <ShownOnce made={shown} close={() => setShown(undefined)} />}
        <TableCard
          caption="Keys"
          columns={["Name", "Scope", "Endpoints", "Made", "Last used", ACTS]}
          rows={value}
          error={error}
          retry={reload}
          empty={<Empty title="This account has no keys" />}
        >
          {(key) => <KeyRow key={key.id} of={key} ask={setAsked} />}
        </TableCard>
      </div>
      {isCreating ? (
        <NewKeyDialog
          session={session}
          account={account}
          close={() => setCreating(false)}
          made={(key) => {
            setCreating(false);
            setShown(key);
            reload();
          }}
        />
      ) : null}
      {asked?.what === "revoke" ? <RevokeKey of={asked.key} close={close} revoked={reload} /> : null}
      {asked?.what === "rotate" ? (
        <RotateKey
          of={asked.key}
          close={close}
          rotated={(key) => {
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

interface RevokeKeyProperties {
  readonly of: Key;
  readonly close: () => void;
  readonly revoked: () => void;
}

function RevokeKey({ of: { id, name }, close, revoked }: RevokeKeyProperties) {
  async function revoke(): Promise<void> {
    await api.revokeKey(id);
    say(`${name} is revoked.`);
    revoked();
  }
  return (
    <Confirm title={`Revoke the key ${name}?`} verb="Revoke key" close={close} act={revoke}>
      <p>The key stops working now, and open calls with it end. You cannot undo this.</p>
    </Confirm>
  );
}

interface RotateKeyProperties {
  readonly of: Key;
  readonly close: () => void;
  readonly rotated: (key: NewKey) => void;
}

function RotateKey({ of: { id, name }, close, rotated }: RotateKeyProperties) {
  return (
    <RotateDialog
      title={`Rotate the key ${name}?`}
      verb="Create key"
      stays="The old key stays valid for"
      close={close}
      act={async (overlapMs) => rotated(await api.rotateKey(id, overlapMs))}
    >
      <p>
        A new key replaces it. The old key can stay valid for a while, so that you can distribute the new one.
      </p>
    </RotateDialog>
  );
}

function ShownOnce({ made, close }: { made: NewKey; close: () => void }) {
  return (
    <div class="key-shown" role="status">
      <strong>The key of {made.name}. It is shown only now: the server stores only its fingerprint.</strong>
      <code>{made.key}</code>
      <div class="actions">
        <CopyButton text={made.key} what="The key is copied." />
        <button type="button" class="small" onClick={close}>
          Done
        </button>
      </div>
    </div>
  );
}
