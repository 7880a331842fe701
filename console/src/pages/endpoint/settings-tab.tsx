import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Endpoint } from "../../answers.ts";
import { Field, type FormFault, useSending } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { type Pairs, PairsField, recordOf } from "../../parts/pairs.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { GROUPS, type Member } from "./endpoint-members.ts";

/** What was typed: the text of a field, or rows. */
type Typed = Readonly<Record<string, string | Pairs>>;

/** The settings of an endpoint; what was changed is sent, and nothing else. */
export function SettingsTab({ endpoint, changed }: { endpoint: Endpoint; changed: () => void }) {
  // What is typed stays while the record is read again and again.
  const [typed, setTyped] = useState<Typed>({});
  const { fault, isBusy, send } = useSending();
  const templates = usePolled("templates", 0, (signal) => api.templates(signal));
  const put = (name: string, value: string | Pairs): void => setTyped({ ...typed, [name]: value });
  const isChanged = Object.keys(typed).length > 0;

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const entries = Object.entries(typed).map(([name, value]) => [name, sent(name, value)]);
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
                value={textOf(typed["name"] ?? endpoint.name)}
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
                value={textOf(typed["templateId"] ?? endpoint.templateId)}
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
      {GROUPS.map(({ title, members }) => (
        <section key={title} class="card padded">
          <fieldset>
            <legend>{title}</legend>
            <div class="fields">
              {members.map((member) => (
                <MemberField
                  key={member.name}
                  member={member}
                  value={typed[member.name] ?? shown(member, endpoint)}
                  wrong={wrongOf(fault, member.name)}
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

interface MemberFieldProperties {
  readonly member: Member;
  readonly value: string | Pairs;
  readonly wrong: string | undefined;
  readonly change: (value: string | Pairs) => void;
}

function MemberField({ member, value, wrong, change }: MemberFieldProperties) {
  const { label, hint, kind, choices = [] } = member;
  if (kind === "pairs") {
    return <PairsField label={label} hint={hint} wrong={wrong} pairs={pairsOf(value)} change={change} />;
  }
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(given) =>
        kind === "choice" ? (
          <select {...given} value={textOf(value)} onChange={(event) => change(event.currentTarget.value)}>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice.toLowerCase().replaceAll("_", " ")}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...given}
            inputMode="numeric"
            value={textOf(value)}
            onInput={(event) => change(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

function shown({ name, kind }: Member, endpoint: Endpoint): string | Pairs {
  if (kind === "pairs") return Object.entries(endpoint.env);
  const value = endpoint[name];
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

/** The value of a member as it is sent: a number where there is one, and null for the default. */
function sent(name: string, value: string | Pairs): unknown {
  const member = GROUPS.flatMap(({ members }) => members).find((one) => one.name === name);
  if (typeof value !== "string") return recordOf(value);
  if (member?.kind !== "integer") return value;
  if (value.trim() === "") return null;
  const number = Number(value);
  // The server says what is wrong with it.
  return Number.isNaN(number) ? value : number;
}

function textOf(value: string | Pairs): string {
  return typeof value === "string" ? value : "";
}

function pairsOf(value: string | Pairs): Pairs {
  return typeof value === "string" ? [] : value;
}

function wrongOf(fault: FormFault | undefined, member: string): string | undefined {
  return fault?.member === member ? fault.sentence : undefined;
}
