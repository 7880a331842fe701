import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Template } from "../../answers.ts";
import { useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { recordOf } from "../../parts/pairs.tsx";
import { goTo, to } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import {
  DiskFields,
  type Form,
  ImageFields,
  LinesField,
  StartFields,
  type Typed,
} from "./template-fields.tsx";

interface TemplateFormProperties {
  readonly template: Template | undefined;
  /** Called with the template as the server has it now. */
  readonly saved: (template: Template) => void;
}

/** Creates a template, or changes one. An error about a field is shown beside it. */
export function TemplateForm({ template, saved }: TemplateFormProperties) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(template));
  const { fault, isBusy, send } = useSending();
  const isNew = template === undefined;
  const form: Form = {
    typed,
    put: (change) => setTyped((before) => ({ ...before, ...change })),
    wrong: (member) => wrongOf(fault, member),
    isNew,
  };

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const fields = sent(typed);
      const made = isNew ? await api.createTemplate(fields) : await api.updateTemplate(template.id, fields);
      say(isNew ? `${typed.name} is there.` : "The template is saved.");
      saved(made);
      goTo("templates", made.id);
    });
  }

  return (
    <>
      <PageHead
        title={isNew ? "New template" : `Edit ${template.name}`}
        from={{ name: "Templates", href: to("templates") }}
        about={
          isNew ? undefined : "Changes to how workers start begin a release on every endpoint that uses it."
        }
      />
      <form class="stack" onSubmit={(event) => void save(event)}>
        <ImageFields form={form} />
        <StartFields form={form} />
        <DiskFields form={form} />
        <section class="card padded fields">
          <LinesField
            form={form}
            member="readme"
            label="Readme"
            hint="Markdown. HTML is shown as text."
            isWide
          />
        </section>
        {fault === undefined ? null : <ErrorNote error={fault.error} />}
        <div class="actions">
          <button type="submit" class="first" disabled={isBusy}>
            {isNew ? "Create template" : "Save"}
          </button>
          <a class="button" href={isNew ? to("templates") : to("templates", template.id)}>
            Cancel
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

/** The number, or the text if it is none: the server reports the error. Empty is the default. */
function figure(text: string): number | string | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
