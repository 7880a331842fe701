import { Field } from "../../parts/field.tsx";
import { type Pairs, PairsField } from "../../parts/pairs.tsx";
import { LoginField } from "./login-field.tsx";

/** What is typed, before it becomes the body of the call. */
export interface Typed {
  readonly name: string;
  readonly imageName: string;
  readonly category: string;
  readonly isServerless: boolean;
  readonly isPublic: boolean;
  readonly containerDiskInGb: string;
  readonly volumeInGb: string;
  readonly volumeMountPath: string;
  readonly containerRegistryAuthId: string;
  /** A line for each word, or port. */
  readonly dockerEntrypoint: string;
  readonly dockerStartCmd: string;
  readonly ports: string;
  readonly env: Pairs;
  readonly readme: string;
}

type TextMember = { [Name in keyof Typed]: Typed[Name] extends string ? Name : never }[keyof Typed];

/** A member that is one checkbox. */
type FlagMember = "isServerless" | "isPublic";

/** The state of the form that its fields share. */
export interface Form {
  readonly typed: Typed;
  readonly put: (change: Partial<Typed>) => void;
  /** The error of the server about a member. */
  readonly wrong: (member: keyof Typed) => string | undefined;
  readonly isNew: boolean;
}

/** Name, image, category and rights. */
export function ImageFields({ form }: { form: Form }) {
  const { typed, put, wrong, isNew } = form;
  return (
    <section class="card padded fields">
      <TextField form={form} member="name" label="Name" hint="Unique in the account." />
      <TextField
        form={form}
        member="imageName"
        label="Image"
        hint="Such as registry.example.com/team/worker:1.2, or process/NAME."
      />
      <Field label="Category" hint={isNew ? "You cannot change it later." : "Set at creation."}>
        {(given) => (
          <select
            {...given}
            disabled={!isNew}
            value={typed.category}
            onChange={(event) => put({ category: event.currentTarget.value })}
          >
            {["NVIDIA", "AMD", "CPU"].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <LoginField
        value={typed.containerRegistryAuthId}
        wrong={wrong("containerRegistryAuthId")}
        choose={(containerRegistryAuthId) => put({ containerRegistryAuthId })}
      />
      <div class="wide actions">
        <FlagField form={form} member="isServerless" label="Serverless" isFixed={!isNew} />
        <FlagField
          form={form}
          member="isPublic"
          label="Public: every account can use it, so it must not contain secrets"
        />
      </div>
    </section>
  );
}

/** How the worker is started. */
export function StartFields({ form }: { form: Form }) {
  const { typed, put, wrong } = form;
  const hint = "One argument per line. Default: that of the image.";
  return (
    <section class="card padded">
      <fieldset>
        <legend>Start</legend>
        <div class="fields">
          <LinesField form={form} member="dockerEntrypoint" label="Entrypoint" hint={hint} />
          <LinesField form={form} member="dockerStartCmd" label="Start command" hint={hint} />
          <LinesField form={form} member="ports" label="Ports" hint="One per line, such as 8888/http." />
          <PairsField
            label="Variables"
            hint="Stored encrypted."
            wrong={wrong("env")}
            pairs={typed.env}
            change={(env) => put({ env })}
          />
        </div>
      </fieldset>
    </section>
  );
}

/** The disks of the worker. */
export function DiskFields({ form }: { form: Form }) {
  return (
    <section class="card padded">
      <fieldset>
        <legend>Disks</legend>
        <div class="fields">
          <TextField form={form} member="containerDiskInGb" label="Container disk, GB" />
          <TextField form={form} member="volumeInGb" label="Volume, GB" />
          <TextField form={form} member="volumeMountPath" label="Volume is mounted at" />
        </div>
      </fieldset>
    </section>
  );
}

interface TextFieldProperties {
  readonly form: Form;
  readonly member: TextMember;
  readonly label: string;
  readonly hint?: string;
}

function TextField({ form: { typed, put, wrong }, member, label, hint }: TextFieldProperties) {
  return (
    <Field label={label} hint={hint} wrong={wrong(member)}>
      {(given) => (
        <input
          {...given}
          value={typed[member]}
          onInput={(event) => put({ [member]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

/** A text of several lines. */
export function LinesField({
  form: { typed, put, wrong },
  member,
  label,
  hint,
  isWide = false,
}: TextFieldProperties & { readonly isWide?: boolean }) {
  return (
    <Field label={label} hint={hint} wrong={wrong(member)} isWide={isWide}>
      {(given) => (
        <textarea
          {...given}
          class={isWide ? "" : "mono"}
          value={typed[member]}
          onInput={(event) => put({ [member]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

interface FlagFieldProperties {
  readonly form: Form;
  readonly member: FlagMember;
  readonly label: string;
  readonly isFixed?: boolean;
}

function FlagField({ form: { typed, put }, member, label, isFixed = false }: FlagFieldProperties) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={typed[member]}
        disabled={isFixed}
        onChange={(event) => put({ [member]: event.currentTarget.checked })}
      />
      {label}
    </label>
  );
}
