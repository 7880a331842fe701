import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Endpoint } from "../../answers.ts";
import { Field, type FormFault, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { useSaved } from "../../parts/use-saved.ts";
import { showWarnings } from "../../parts/warnings.tsx";
import { GROUPS, type Member } from "./endpoint-members.ts";
import { MemberField } from "./member-field.tsx";
import { sentMembers, type TypedValue, typedValue } from "./member-values.ts";
import { TemplateField } from "./template-field.tsx";

type Typed = Readonly<Record<string, TypedValue>>;

/** The settings of an endpoint. Only what was changed is sent. */
export function SettingsTab({ endpoint, changed }: { endpoint: Endpoint; changed: () => void }) {
  // Only what was typed: the record is read again every few seconds.
  const [typed, setTyped] = useState<Typed>({});
  const { fault, isBusy, send } = useSending();
  const [shown, keep] = useSaved(endpoint);
  const put = (name: string, value: TypedValue): void => setTyped((before) => ({ ...before, [name]: value }));
  const isChanged = Object.keys(typed).length > 0;

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const { warnings, ...record } = await api.updateEndpoint(endpoint.id, sentMembers(typed));
      // What was typed while it was sent is not saved yet.
      setTyped((now) =>
        Object.fromEntries(Object.entries(now).filter(([name, value]) => typed[name] !== value)),
      );
      keep(record);
      showWarnings(warnings);
      say("The settings are saved.");
      changed();
    });
  }

  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <MainFields endpoint={shown} typed={typed} fault={fault} change={put} />
      {GROUPS.map((group) => (
        <GroupFields
          key={group.title}
          group={group}
          valueOf={(member) => typed[member.name] ?? typedValue(member, shown)}
          fault={fault}
          change={put}
        />
      ))}
      <div class="actions sticky">
        {fault === undefined ? null : <ErrorNote error={fault.error} />}
        <span class="soft">{changesText(Object.keys(typed).length)}</span>
        <button type="submit" class="first" disabled={!isChanged || isBusy}>
          Save
        </button>
        <button type="button" disabled={!isChanged || isBusy} onClick={() => setTyped({})}>
          Undo
        </button>
      </div>
    </form>
  );
}

function changesText(count: number): string {
  if (count === 0) return "No changes";
  return count === 1 ? "1 change" : `${count} changes`;
}

interface MainFieldsProperties {
  readonly endpoint: Endpoint;
  readonly typed: Typed;
  readonly fault: FormFault | undefined;
  readonly change: (name: string, value: TypedValue) => void;
}

/** Name and template. */
function MainFields({ endpoint, typed, fault, change }: MainFieldsProperties) {
  const templates = usePolled("templates", 0, (signal) => api.templates(signal));
  return (
    <section class="card padded">
      <div class="fields">
        <Field label="Name" wrong={wrongOf(fault, "name")}>
          {(given) => (
            <input
              {...given}
              value={String(typed["name"] ?? endpoint.name)}
              onInput={(event) => change("name", event.currentTarget.value)}
            />
          )}
        </Field>
        <TemplateField
          templates={templates.value}
          hint="The image of the workers. A change is a release: it replaces workers one by one."
          wrong={wrongOf(fault, "templateId")}
          value={String(typed["templateId"] ?? endpoint.templateId)}
          choose={(id) => change("templateId", id)}
        />
      </div>
    </section>
  );
}

interface GroupFieldsProperties {
  readonly group: (typeof GROUPS)[number];
  readonly valueOf: (member: Member) => TypedValue;
  readonly fault: FormFault | undefined;
  readonly change: (name: string, value: TypedValue) => void;
}

function GroupFields({ group: { title, about, members }, valueOf, fault, change }: GroupFieldsProperties) {
  return (
    <section class="card padded">
      <fieldset>
        <legend>{title}</legend>
        {about === undefined ? null : <p class="soft about">{about}</p>}
        <div class="fields">
          {members.map((member) => (
            <MemberField
              key={member.name}
              member={member}
              value={valueOf(member)}
              fault={fault}
              change={(value) => change(member.name, value)}
            />
          ))}
        </div>
      </fieldset>
    </section>
  );
}
