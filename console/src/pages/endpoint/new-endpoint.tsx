import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Field, useSending, wrongOf } from "../../parts/field.tsx";
import { ErrorNote } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo, to } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { TemplateField } from "./template-field.tsx";

/** Creates an endpoint. Its other settings are changed afterwards. */
export function NewEndpointPage({ query }: { query: URLSearchParams }) {
  const [name, setName] = useState("");
  const [templateId, setTemplate] = useState(query.get("template") ?? "");
  const { fault, isBusy, send } = useSending();
  const templates = usePolled("templates", 0, (signal) => api.templates(signal));

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      const fields = templateId === "" ? { name } : { name, templateId };
      const { id } = await api.createEndpoint(fields);
      say(`${name} is created.`);
      goTo("endpoints", id, templateId === "" ? "workers" : "jobs");
    });
  }

  return (
    <>
      <PageHead title="New endpoint" from={{ name: "Endpoints", href: "#/" }} />
      <form class="card padded stack" onSubmit={(event) => void create(event)}>
        <div class="fields">
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
          <TemplateField
            templates={templates.value}
            hint={
              <>
                The image of its workers. <a href={to("templates", "new")}>New template</a>
              </>
            }
            wrong={wrongOf(fault, "templateId")}
            value={templateId}
            choose={setTemplate}
          />
        </div>
        <ErrorNote error={fault?.error ?? templates.error} />
        <div class="actions">
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
