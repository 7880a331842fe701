import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Template } from "../../answers.ts";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type Pairs, PairsField, recordOf } from "../../parts/pairs.tsx";
import { goTo, to } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";

/** What is typed, before it is what the API takes. */
interface Typed {
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

/** Makes a template, or changes one; what is wrong with a field stands beside it. */
export function TemplateForm({ template, saved }: { template: Template | undefined; saved: () => void }) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(template));
  const { fault, isBusy, send } = useSending();
  const logins = usePolled("logins", 0, (signal) => api.registryLogins(signal));
  const put = (change: Partial<Typed>): void => setTyped({ ...typed, ...change });
  const wrong = (member: keyof Typed): string | undefined => wrongOf(fault, member);

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const fields = sent(typed);
      const { id } =
        template === undefined
          ? await api.createTemplate(fields)
          : await api.updateTemplate(template.id, fields);
      say(template === undefined ? `${typed.name} is there.` : "The template is saved.");
      saved();
      goTo("templates", id);
    });
  }

  function text(member: TextMember, label: string, hint?: string, isWide = false) {
    return (
      <Field label={label} hint={hint} wrong={wrong(member)} isWide={isWide}>
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

  function lines(member: TextMember, label: string, hint: string, isWide = false) {
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

  function flag(member: "isServerless" | "isPublic", label: string, isFixed = false) {
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

  const isNew = template === undefined;
  return (
    <>
      <PageHead
        title={isNew ? "New template" : `Edit ${template.name}`}
        from={{ name: "Templates", href: to("templates") }}
        about={isNew ? undefined : "What changes how workers start begins a release at every endpoint on it."}
      />
      <form class="stack" onSubmit={(event) => void save(event)}>
        <section class="card padded fields">
          {text("name", "Name", "Unique in the account.")}
          {text("imageName", "Image", "As registry.example.com/team/worker:1.2, or process/NAME.")}
          <Field label="Category" hint={isNew ? "It cannot be changed later." : "Set when it was made."}>
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
          <Field
            label="Registry login"
            hint={
              <>
                With what a private image is fetched.{" "}
                <a href={to("templates", "registry-logins")}>Registry logins</a>
              </>
            }
            wrong={wrong("containerRegistryAuthId")}
          >
            {(given) => (
              <select
                {...given}
                value={typed.containerRegistryAuthId}
                onChange={(event) => put({ containerRegistryAuthId: event.currentTarget.value })}
              >
                <option value="">none</option>
                {logins.value?.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <div class="wide actions">
            {flag("isServerless", "Serverless", !isNew)}
            {flag("isPublic", "Public: every account may use it, so put no secret there")}
          </div>
        </section>
        <section class="card padded">
          <fieldset>
            <legend>How it is started</legend>
            <div class="fields">
              {lines("dockerEntrypoint", "Entrypoint", "A line for each word; empty: that of the image.")}
              {lines("dockerStartCmd", "Start command", "A line for each word; empty: that of the image.")}
              {lines("ports", "Ports", "A line for each, as 8888/http.")}
              <PairsField
                label="Variables"
                hint="Encrypted on the disk."
                wrong={wrong("env")}
                pairs={typed.env}
                change={(env) => put({ env })}
              />
            </div>
          </fieldset>
        </section>
        <section class="card padded">
          <fieldset>
            <legend>Disks</legend>
            <div class="fields">
              {text("containerDiskInGb", "Container disk, GB")}
              {text("volumeInGb", "Volume, GB")}
              {text("volumeMountPath", "Volume is mounted at")}
            </div>
          </fieldset>
        </section>
        <section class="card padded fields">
          {lines("readme", "Readme", "Markdown. HTML in it is shown as text.", true)}
        </section>
        {fault === undefined ? null : <ErrorNote error={fault.error} />}
        <div class="actions">
          <button type="submit" class="first" disabled={isBusy}>
            {isNew ? "Make the template" : "Save"}
          </button>
          <a class="button" href={isNew ? to("templates") : to("templates", template.id)}>
            Leave it
          </a>
        </div>
      </form>
    </>
  );
}

function typedOf(template: Template | undefined): Typed {
  return {
    name: template?.name ?? "",
    imageName: template?.imageName ?? "",
    category: template?.category ?? "NVIDIA",
    isServerless: template?.isServerless ?? true,
    isPublic: template?.isPublic ?? false,
    containerDiskInGb: String(template?.containerDiskInGb ?? 50),
    volumeInGb: String(template?.volumeInGb ?? 20),
    volumeMountPath: template?.volumeMountPath ?? "/workspace",
    containerRegistryAuthId: template?.containerRegistryAuthId ?? "",
    dockerEntrypoint: template?.dockerEntrypoint.join("\n") ?? "",
    dockerStartCmd: template?.dockerStartCmd.join("\n") ?? "",
    ports: template?.ports.join("\n") ?? "",
    env: Object.entries(template?.env ?? {}),
    readme: template?.readme ?? "",
  };
}

function sent(typed: Typed): object {
  return {
    ...typed,
    containerDiskInGb: figure(typed.containerDiskInGb),
    volumeInGb: figure(typed.volumeInGb),
    dockerEntrypoint: linesOf(typed.dockerEntrypoint),
    dockerStartCmd: linesOf(typed.dockerStartCmd),
    ports: linesOf(typed.ports),
    env: recordOf(typed.env),
  };
}

/** The server says what is wrong with a text that is no number; nothing at all is the default. */
function figure(text: string): number | string | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
