import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field, useSending } from "../parts/field.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { TableCard } from "../parts/table-card.tsx";
import { say } from "../parts/toast.tsx";
import { usePolled } from "../parts/use-polled.ts";
import { When } from "../parts/when.tsx";

/** The accounts, which own endpoints, templates and keys. For operators. */
export function AccountsPage() {
  const { value, error, reload } = usePolled("accounts", 0, (signal) => api.accounts(signal));
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <PageHead
        title="Accounts"
        about="An account owns endpoints, templates and keys. Accounts cannot see each other's records."
      >
        <button type="button" class="first" onClick={() => setAsked(true)}>
          New account
        </button>
      </PageHead>
      <TableCard
        caption="Accounts"
        columns={["Name", "Id", "Created"]}
        rows={value}
        error={error}
        retry={reload}
        empty={null}
      >
        {({ id, name: called, createdAt }) => (
          <tr key={id}>
            <th scope="row">{called}</th>
            <td class="mono">{id}</td>
            <td>
              <When at={createdAt} />
            </td>
          </tr>
        )}
      </TableCard>
      {isAsked ? <NewAccountDialog close={() => setAsked(false)} created={reload} /> : null}
    </>
  );
}

function NewAccountDialog({ close, created }: { close: () => void; created: () => void }) {
  const [name, setName] = useState("");
  const { fault, isBusy, send } = useSending();

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      await api.createAccount(name);
      say(`${name} is created. Create its first key under Keys.`);
      created();
      close();
    });
  }

  return (
    <Dialog title="New account" close={close}>
      <form onSubmit={(event) => void create(event)}>
        <Field label="Name" wrong={fault?.sentence}>
          {(given) => (
            <input {...given} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Create account
          </button>
        </div>
      </form>
    </Dialog>
  );
}
