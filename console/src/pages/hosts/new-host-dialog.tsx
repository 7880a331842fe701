import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";

interface NewHostDialogProperties {
  readonly close: () => void;
  readonly made: (name: string) => void;
}

const NOTHING = { name: "", address: "", ca: "", cert: "", key: "" };

type Member = keyof typeof NOTHING;

/** Creates a host. The typed key is nowhere in the page afterwards. */
export function NewHostDialog({ close, made }: NewHostDialogProperties) {
  const [typed, setTyped] = useState(NOTHING);
  const { fault, isBusy, send } = useSending();

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    const { name, address, ca, cert, key } = typed;
    const isEncrypted = [ca, cert, key].some((text) => text !== "");
    await send(async () => {
      await api.createHost({ name, address, ...(isEncrypted ? { certificates: { ca, cert, key } } : {}) });
      made(name);
    });
  }

  function field(member: Member, label: string, hint: string, isLong = false) {
    const onInput = (event: Event & { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      setTyped({ ...typed, [member]: event.currentTarget.value });
    return (
      <Field label={label} hint={hint} wrong={wrongOf(fault, member)}>
        {(about) => {
          const given = { ...about, value: typed[member], onInput, autocomplete: "off", spellcheck: false };
          return isLong ? <textarea {...given} rows={2} /> : <input {...given} />;
        }}
      </Field>
    );
  }

  return (
    <Dialog title="New host" close={close}>
      <form onSubmit={(event) => void create(event)}>
        {field("name", "Name", "Letters, digits, - and _. You cannot change it later.")}
        {field("address", "Address", "Of a Docker Engine: tcp://gpu-1.example.com:2376 or ssh://user@gpu-1.")}
        {field("ca", "Authority (ca.pem)", "For TLS. Leave all three empty without TLS.", true)}
        {field("cert", "Certificate (cert.pem)", "With which Forebay connects.", true)}
        {field("key", "Key (key.pem)", "Stored encrypted. You cannot read it again.", true)}
        <ErrorNote error={fault?.error} />
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="first" disabled={isBusy}>
            Create host
          </button>
        </div>
      </form>
    </Dialog>
  );
}
