import { useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { Endpoint } from "../../answers.ts";
import { Field, type FormFault, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import { showWarnings } from "../../parts/warnings.tsx";
import { DEFAULTS, MEMBERS } from "./endpoint-members.ts";
import { MemberField } from "./member-field.tsx";
import { sentMembers, type TypedValue, typedValue } from "./member-values.ts";
import { NO_WORKERS, templateOf, type WorkerChoice, WorkerFields } from "./worker-fields.tsx";

/** The settings that the form offers if Forebay starts the workers. */
const SECTIONS = [
  {
    title: "GPUs",
    about: "Without a number and a type, workers get no GPU.",
    names: ["gpuCount", "gpuTypeIds"],
  },
  { title: "Environment", about: undefined, names: ["env"] },
  { title: "Scaling", about: undefined, names: Object.keys(DEFAULTS) },
] as const;

type Typed = Readonly<Record<string, TypedValue>>;

/** Creates an endpoint, and a template for its workers if it needs one. */
export function NewEndpointPage({ query }: { query: URLSearchParams }) {
  const template = query.get("template") ?? "";
  const [name, setName] = useState("");
  const [workers, setWorkers] = useState<WorkerChoice>({
    ...NO_WORKERS,
    kind: template === "" ? "image" : "template",
    templateId: template,
  });
  const [typed, setTyped] = useState<Typed>({});
  const { fault, isBusy, send } = useSending();
  const isExternal = workers.kind === "external";

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const { id, warnings } = await created(name, workers, isExternal ? {} : sentMembers(typed));
      say(`${name} is created.`);
      goTo("endpoints", id, isExternal ? "workers" : "jobs");
      showWarnings(warnings);
    });
  }

  return (
    <>
      <PageHead title="New endpoint" from={{ name: "Endpoints", href: "#/" }} />
      <form class="stack" onSubmit={(event) => void create(event)}>
        <section class="card padded fields">
          <Field label="Name" hint="Unique in the account." wrong={wrongOf(fault, "name")}>
            {(given) => (
              <input
                {...given}
                required
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
        </section>
        <WorkerFields choice={workers} fault={fault} change={setWorkers} />
        {isExternal ? null : (
          <Sections
            typed={typed}
            fault={fault}
            change={(member, value) => setTyped((before) => ({ ...before, [member]: value }))}
          />
        )}
        <div class="actions sticky">
          <ErrorNote error={fault?.error} />
          <button type="submit" class="first" disabled={isBusy}>
            Create endpoint
          </button>
          <a class="button" href="#/">
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}

interface SectionsProperties {
  readonly typed: Typed;
  readonly fault: FormFault | undefined;
  readonly change: (member: string, value: TypedValue) => void;
}

function Sections({ typed, fault, change }: SectionsProperties) {
  return SECTIONS.map(({ title, about, names }) => (
    <section key={title} class="card padded">
      <fieldset>
        <legend>{title}</legend>
        {about === undefined ? null : <p class="soft about">{about}</p>}
        <div class="fields">
          {names.map((name) => {
            const member = MEMBERS.get(name);
            return member === undefined ? null : (
              <MemberField
                key={name}
                member={member}
                value={typed[name] ?? typedValue(member, DEFAULTS)}
                fault={fault}
                change={(value) => change(name, value)}
              />
            );
          })}
        </div>
      </fieldset>
    </section>
  ));
}

/** If the endpoint is refused, the template that was created for it is deleted again. Throws ApiError. */
async function created(name: string, workers: WorkerChoice, members: object): Promise<Endpoint> {
  const fields = templateOf(workers);
  if (fields === undefined) {
    const { kind, templateId } = workers;
    return api.createEndpoint({ name, ...(kind === "template" ? { templateId } : {}), ...members });
  }
  const template = await api.createTemplate({ name, ...fields });
  try {
    return await api.createEndpoint({ name, templateId: template.id, ...members });
  } catch (error) {
    // If that fails, too, the first error is the one to correct.
    if (error instanceof ApiError) await api.deleteTemplate(template.id).catch(() => undefined);
    throw error;
  }
}
