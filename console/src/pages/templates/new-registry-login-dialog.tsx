import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";

interface NewRegistryLoginDialogProperties {
  readonly close: () => void;
  readonly made: (name: string) => void;
}

const NOTHING = { name: "", username: "", password: "" };

/** Creates a registry login. The typed password is nowhere in the page afterwards. */
export function NewRegistryLoginDialog({ close, made }: NewRegistryLoginDialogProperties) {
  const [typed, setTyped] = useState(NOTHING);
  const { fault, isBusy, send } = useSending();

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const { name } = await api.createRegistryLogin(typed);
      made(name);
    });
  }

  function field(member: keyof typeof NOTHING, label: string, hint: string) {
    return (
      <Field label={label} hint={hint} wrong={wrongOf(fault, member)}>
        {(about) => {
          const given = {
            ...about,
            value: typed[member],
            onInput: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
              setTyped((before) => ({ ...before, [member]: value })),
          };
          return member === "password" ? (
            <input {...given} type="password" autocomplete="new-password" />
          ) : (
            <input {...given} autocomplete="off" spellcheck={false} />
          );
        }}
      </Field>
    );
  }

  return (
    <Dialog title="New registry login" close={close}>
      <form onSubmit={(event) => void create(event)}>
        {field("name", "Name", "Templates show this name.")}
        {field("username", "Username", "Your username at the registry.")}
        {field("password", "Password or token", "Stored encrypted. You cannot read it again.")}
        <ErrorNote error={fault?.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Create registry login
          </button>
        </div>
      </form>
    </Dialog>
  );
}
