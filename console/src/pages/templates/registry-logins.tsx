import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { RegistryLogin, Template } from "../../answers.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { to } from "../../parts/route.ts";
import { ACTS, TableCard } from "../../parts/table-card.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { NewRegistryLoginDialog } from "./new-registry-login-dialog.tsx";

/** ms. */
const EVERY = 10_000;

/** The logins for registries of private images, and which templates use each. */
export function RegistryLoginsPage() {
  const { value, error, reload } = usePolled("logins", EVERY, async (signal) => ({
    logins: await api.registryLogins(signal),
    templates: await api.ownTemplates(signal),
  }));
  const [isCreating, setCreating] = useState(false);
  const [doomed, setDoomed] = useState<RegistryLogin>();
  return (
    <>
      <PageHead
        title="Registry logins"
        from={{ name: "Templates", href: to("templates") }}
        about="Logins to pull private images. You cannot read the username and password again."
      >
        <button type="button" class="first" onClick={() => setCreating(true)}>
          New registry login
        </button>
      </PageHead>
      <div class="stack close">
        <TableCard
          caption="Registry logins"
          columns={["Name", "Templates", ACTS]}
          rows={value?.logins}
          error={error}
          retry={reload}
          empty={<NoLogins />}
        >
          {(login) => (
            <LoginRow
              key={login.id}
              login={login}
              templates={value?.templates ?? []}
              remove={() => setDoomed(login)}
            />
          )}
        </TableCard>
      </div>
      {isCreating ? (
        <NewRegistryLoginDialog
          close={() => setCreating(false)}
          made={(name) => {
            setCreating(false);
            say(`${name} is created. Choose it in a template.`);
            reload();
          }}
        />
      ) : null}
      {doomed === undefined ? null : (
        <DeleteLogin login={doomed} close={() => setDoomed(undefined)} removed={reload} />
      )}
    </>
  );
}

interface LoginRowProperties {
  readonly login: RegistryLogin;
  readonly templates: readonly Template[];
  readonly remove: () => void;
}

function LoginRow({ login, templates, remove }: LoginRowProperties) {
  return (
    <tr>
      <th scope="row">
        {login.name} <small class="soft mono">{login.id}</small>
      </th>
      <td>
        <TemplatesWith login={login.id} templates={templates} />
      </td>
      <td>
        <div class="actions">
          <button type="button" class="small danger" onClick={remove}>
            Delete<span class="unseen"> {login.name}</span>
          </button>
        </div>
      </td>
    </tr>
  );
}

interface DeleteLoginProperties {
  readonly login: RegistryLogin;
  readonly close: () => void;
  readonly removed: () => void;
}

function DeleteLogin({ login: { id, name }, close, removed }: DeleteLoginProperties) {
  async function remove(): Promise<void> {
    await api.deleteRegistryLogin(id);
    say(`${name} is deleted.`);
    removed();
  }
  return (
    <Confirm
      title={`Delete the registry login ${name}?`}
      verb="Delete registry login"
      close={close}
      act={remove}
    >
      <p>
        This deletes its username and password. You cannot delete a registry login that a template uses: first
        choose another one in the template.
      </p>
    </Confirm>
  );
}

function TemplatesWith({ login, templates }: { login: string; templates: readonly Template[] }) {
  const found = templates.filter(({ containerRegistryAuthId }) => containerRegistryAuthId === login);
  if (found.length === 0) return <span class="soft">–</span>;
  return found.map(({ id, name }, index) => (
    <span key={id}>
      {index === 0 ? "" : ", "}
      <a href={to("templates", id)}>{name}</a>
    </span>
  ));
}

function NoLogins() {
  return (
    <Empty title="No registry logins yet">
      <p>
        A template with a private image uses a registry login to pull the image from its registry. Use a token
        that can only read.
      </p>
    </Empty>
  );
}
