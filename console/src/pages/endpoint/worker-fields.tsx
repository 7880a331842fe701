import { api } from "../../api.ts";
import { Field, type FormFault, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { to } from "../../parts/route.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { LoginField } from "../templates/login-field.tsx";
import { TemplateField } from "./template-field.tsx";

const KINDS = [
  { kind: "image", name: "An image", about: "Forebay starts containers from it." },
  { kind: "command", name: "A command of the server", about: "Forebay starts it as a process." },
  { kind: "template", name: "An existing template", about: "Several endpoints can share it." },
  { kind: "external", name: "External workers", about: "You start them, on any machine." },
] as const;

/** Where the workers of a new endpoint come from. */
export interface WorkerChoice {
  readonly kind: (typeof KINDS)[number]["kind"];
  readonly image: string;
  readonly login: string;
  /** A line for each word. */
  readonly startCommand: string;
  readonly command: string;
  readonly templateId: string;
}

export const NO_WORKERS: Omit<WorkerChoice, "kind"> = {
  image: "",
  login: "",
  startCommand: "",
  command: "",
  templateId: "",
};

/** The members of the template that the choice needs; undefined: it needs no new one. */
export function templateOf({ kind, image, login, startCommand, command }: WorkerChoice): object | undefined {
  if (kind === "command") return { imageName: `process/${command}`, category: "CPU" };
  if (kind !== "image") return undefined;
  const dockerStartCmd = startCommand.split("\n").filter((line) => line !== "");
  return { imageName: image, containerRegistryAuthId: login, dockerStartCmd };
}

interface WorkerFieldsProperties {
  readonly choice: WorkerChoice;
  readonly fault: FormFault | undefined;
  readonly change: (to: (before: WorkerChoice) => WorkerChoice) => void;
}

/** Chooses what the workers are, with the fields of that choice. */
export function WorkerFields({ choice, fault, change }: WorkerFieldsProperties) {
  const put = (some: Partial<WorkerChoice>): void => change((before) => ({ ...before, ...some }));
  return (
    <section class="card padded">
      <fieldset>
        <legend>Workers</legend>
        <div class="kinds">
          {KINDS.map(({ kind, name, about }) => (
            <label key={kind} class="check">
              <input
                type="radio"
                name="workers"
                checked={choice.kind === kind}
                onChange={() => put({ kind })}
              />
              <span>
                {name} <small class="soft">{about}</small>
              </span>
            </label>
          ))}
        </div>
        <div class="fields">
          {choice.kind === "image" ? <ImageChoice choice={choice} fault={fault} put={put} /> : null}
          {choice.kind === "command" ? (
            <TextField
              label="Name of the command"
              hint="hello, or a command that the server's --commands defines."
              wrong={wrongOf(fault, "imageName")}
              value={choice.command}
              put={(command) => put({ command })}
            />
          ) : null}
          {choice.kind === "template" ? <TemplateChoice choice={choice} fault={fault} put={put} /> : null}
        </div>
      </fieldset>
    </section>
  );
}

interface ChoiceProperties {
  readonly choice: WorkerChoice;
  readonly fault: FormFault | undefined;
  readonly put: (some: Partial<WorkerChoice>) => void;
}

function ImageChoice({ choice, fault, put }: ChoiceProperties) {
  return (
    <>
      <TextField
        label="Image"
        hint="Such as registry.example.com/team/worker:1.2."
        wrong={wrongOf(fault, "imageName")}
        value={choice.image}
        put={(image) => put({ image })}
      />
      <LoginField
        value={choice.login}
        wrong={wrongOf(fault, "containerRegistryAuthId")}
        choose={(login) => put({ login })}
      />
      <Field
        label="Start command"
        hint="One argument per line. Default: that of the image."
        wrong={wrongOf(fault, "dockerStartCmd")}
      >
        {(given) => (
          <textarea
            {...given}
            class="mono short"
            value={choice.startCommand}
            onInput={(event) => put({ startCommand: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

function TemplateChoice({ choice, fault, put }: ChoiceProperties) {
  const templates = usePolled("templates", 0, (signal) => api.templates(signal));
  return (
    <>
      <TemplateField
        templates={templates.value}
        hint={
          <>
            The image of its workers. <a href={to("templates", "new")}>New template</a>
          </>
        }
        wrong={wrongOf(fault, "templateId")}
        value={choice.templateId}
        choose={(templateId) => put({ templateId })}
      />
      <ErrorNote error={templates.error} retry={templates.reload} />
    </>
  );
}

interface TextFieldProperties {
  readonly label: string;
  readonly hint: string;
  readonly wrong: string | undefined;
  readonly value: string;
  readonly put: (value: string) => void;
}

function TextField({ label, hint, wrong, value, put }: TextFieldProperties) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(given) => (
        <input
          {...given}
          required
          spellcheck={false}
          value={value}
          onInput={(event) => put(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
