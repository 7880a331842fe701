import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { labelsIn } from "./labels-dialog.tsx";

interface Typing {
  readonly currentTarget: HTMLInputElement | HTMLTextAreaElement;
}

interface NewHostDialogProperties {
  readonly close: () => void;
  readonly made: (name: string) => void;
}

const NOTHING = { name: "", address: "", labels: "", gpus: "", ca: "", cert: "", key: "" };

const GPUS_HINT =
  "Only if Forebay cannot read them: what nvidia-smi -L prints, or a line each, as GPU-5c89…=NVIDIA L40S.";

type Member = keyof typeof NOTHING;

/** Creates a host. The typed key is nowhere in the page afterwards. */
export function NewHostDialog({ close, made }: NewHostDialogProperties) {
  const [typed, setTyped] = useState(NOTHING);
  const { fault, isBusy, send } = useSending();

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    const { name, address, gpus, ca, cert, key } = typed;
    const labels = labelsIn(typed.labels);
    const isEncrypted = [ca, cert, key].some((text) => text !== "");
    await send(async () => {
      await api.createHost({
        name,
        address,
        labels,
        ...(gpus.trim() === "" ? {} : { gpus: gpusOf(gpus) }),
        ...(isEncrypted ? { certificates: { ca, cert, key } } : {}),
      });
      made(name);
    });
  }

  function field(member: Member, label: string, hint: string, isLong = false) {
    const onInput = ({ currentTarget: { value } }: Typing): void =>
      setTyped((before) => ({ ...before, [member]: value }));
    return (
      <Field label={label} hint={hint} wrong={wrongOf(fault, member)}>
        {(about) => {
          const given = { ...about, value: typed[member], onInput, autocomplete: "off", spellcheck: false };
          return isLong ? <textarea {...given} class="short" /> : <input {...given} />;
        }}
      </Field>
    );
  }

  return (
    <Dialog title="New host" close={close}>
      <form onSubmit={(event) => void create(event)}>
        {field("name", "Name", "Letters, digits, - and _. You cannot change it later.")}
        {field("address", "Address", "Of a Docker Engine: tcp://gpu-1.example.com:2376 or ssh://user@gpu-1.")}
        {field("labels", "Labels", "One per line. Endpoints choose hosts by label.", true)}
        {field("gpus", "GPUs", GPUS_HINT, true)}
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

/** A GPU as the API takes it. The server reports what is wrong with it. */
interface DeclaredGpu {
  readonly uuid: string;
  readonly name: string;
  readonly memoryInMb?: number;
}

/**
 * The GPUs of a text: lines of `nvidia-smi -L`, or `uuid=model` with `:MB` behind it if the memory is given,
 * as `forebay hosts create --gpu` takes them.
 */
function gpusOf(text: string): readonly DeclaredGpu[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(gpuOf);
}

function gpuOf(line: string): DeclaredGpu {
  const [, listed, id] = LISTED.exec(line) ?? [];
  if (listed !== undefined && id !== undefined) return { uuid: id, name: listed };
  const [, uuid = line, name = "", memory] = /^([^=]*)=(.*?)(?::([0-9]+))?$/.exec(line) ?? [];
  const declared = { uuid: uuid.trim(), name: name.trim() };
  return memory === undefined ? declared : { ...declared, memoryInMb: Number(memory) };
}

/** `GPU 0: NVIDIA L40S (UUID: GPU-5c89852c-…)`. */
const LISTED = /^GPU [0-9]+: (.+) \(UUID: ([^)]+)\)$/;
