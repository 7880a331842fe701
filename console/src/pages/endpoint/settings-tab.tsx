import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Endpoint } from "../../answers.ts";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { GROUPS } from "./endpoint-members.ts";
import { MemberField } from "./member-field.tsx";
import { sentValue, type TypedValue, typedValue } from "./member-values.ts";

type Typed = Readonly<Record<string, TypedValue>>;

const MEMBERS = new Map(GROUPS.flatMap(({ members }) => members).map((member) => [member.name, member]));

/** The settings of an endpoint; what was changed is sent, and nothing else. */
export function SettingsTab({ endpoint, changed }: { endpoint: Endpoint; changed: () => void }) {
  // What is typed stays while the record is read again and again.
  const [typed, setTyped] = useState<Typed>({});
  const { fault, isBusy, send } = useSending();
  const templates = usePolled("templates", 0, (signal) => api.templates(signal));
  const put = (name: string, value: TypedValue): void => setTyped({ ...typed, [name]: value });
  const isChanged = Object.keys(typed).length > 0;

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const entries = Object.entries(typed).map(([name, value]) => {
        const member = MEMBERS.get(name);
        return [name, member === undefined ? value : sentValue(member, value)];
      });
      await api.updateEndpoint(endpoint.id, Object.fromEntries(entries));
      setTyped({});
      say("The settings are saved.");
      changed();
    });
  }

  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <section class="card padded">
        <div class="fields">
          <Field label="Name" wrong={wrongOf(fault, "name")}>
            {(given) => (
              <input
                {...given}
                value={String(typed["name"] ?? endpoint.name)}
                onInput={(event) => put("name", event.currentTarget.value)}
              />
            )}
          </Field>
          <Field
            label="Template"
            hint="What Forebay starts. A change is a release: workers are replaced one by one."
            wrong={wrongOf(fault, "templateId")}
          >
            {(given) => (
              <select
                {...given}
                value={String(typed["templateId"] ?? endpoint.templateId)}
                onChange={(event) => put("templateId", event.currentTarget.value)}
              >
                <option value="">none: workers come by themselves</option>
                {templates.value?.map(({ id, name, imageName }) => (
                  <option key={id} value={id}>
                    {name} ({imageName})
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </section>
      {GROUPS.map(({ title, about, members }) => (
        <section key={title} class="card padded">
          <fieldset>
            <legend>{title}</legend>
            {about === undefined ? null : <p class="soft about">{about}</p>}
            <div class="fields">
              {members.map((member) => (
                <MemberField
                  key={member.name}
                  member={member}
                  value={typed[member.name] ?? typedValue(member, endpoint)}
                  fault={fault}
                  change={(value) => put(member.name, value)}
                />
              ))}
            </div>
          </fieldset>
        </section>
      ))}
      {fault === undefined ? null : <ErrorNote error={fault.error} />}
      <div class="actions">
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
