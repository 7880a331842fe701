import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Template } from "../../answers.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Guard } from "../../parts/guard.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo, to } from "../../parts/route.ts";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { useSaved } from "../../parts/use-saved.ts";
import { countText } from "../../parts/when.tsx";
import { RegistryLoginsPage } from "./registry-logins.tsx";
import { TemplateForm } from "./template-form.tsx";

/** ms. */
const EVERY = 10_000;

/** Templates, and the registry logins for their private images. */
export function TemplatesPage({ parts: [id = "", act = ""] }: { parts: readonly string[] }) {
  return id === "registry-logins" ? <RegistryLoginsPage /> : <Templates id={id} act={act} />;
}

/** Finds, shows, creates and changes templates. */
function Templates({ id, act }: { id: string; act: string }) {
  const { value, error, reload } = usePolled("templates", EVERY, async (signal) => ({
    all: await api.templates(signal),
    own: new Set((await api.ownTemplates(signal)).map((template) => template.id)),
  }));
  const [chosen, keep] = useSaved(value?.all.find((template) => template.id === id));
  const saved = (template: Template): void => {
    keep(template);
    reload();
  };
  if (id === "new") return <TemplateForm template={undefined} saved={reload} />;
  if (act === "edit" && chosen !== undefined) return <TemplateForm template={chosen} saved={saved} />;
  return (
    <>
      <PageHead title="Templates" about="A template has the image of workers and how to start it.">
        <a class="button first" href={to("templates", "new")}>
          New template
        </a>
        <a class="button" href={to("templates", "registry-logins")}>
          Registry logins
        </a>
      </PageHead>
      <div class="stack">
        <ErrorNote error={error} retry={reload} />
        {value === undefined && error === undefined ? <Loading /> : null}
        {value?.all.length === 0 ? (
          <div class="card">
            <Empty title="No templates yet">
              <p>
                A template has the image of workers, or a command that the operator registered. Forebay starts
                the workers of endpoints that use it.
              </p>
            </Empty>
          </div>
        ) : null}
        {chosen === undefined || value === undefined ? null : (
          <Guard key={chosen.id} what="The template">
            <TemplateView template={chosen} isOwn={value.own.has(chosen.id)} removed={reload} />
          </Guard>
        )}
        {value === undefined || value.all.length === 0 ? null : (
          <Guard what="The list of templates">
            <Gallery templates={value.all} chosen={id} />
          </Guard>
        )}
      </div>
    </>
  );
}

const CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

function Gallery({ templates, chosen }: { templates: readonly Template[]; chosen: string }) {
  const [category, setCategory] = useState("");
  const [text, setText] = useState("");
  const sought = text.trim().toLowerCase();
  const found = templates.filter(
    (template) =>
      (category === "" || template.category === category) &&
      `${template.name} ${template.imageName}`.toLowerCase().includes(sought),
  );
  return (
    <>
      <div class="bar">
        <label>
          <span class="label">Category</span>
          <select value={category} onChange={(event) => setCategory(event.currentTarget.value)}>
            <option value="">all</option>
            {CATEGORIES.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          <span class="label">Search by name or image</span>
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </div>
      <p class="unseen" role="status">
        {found.length} templates
      </p>
      {found.length === 0 ? (
        <div class="card">
          <Empty title="No template matches" />
        </div>
      ) : (
        <>
          <h2 class="unseen">All templates</h2>
          <ul class="cards">
            {found.map((template) => (
              <li key={template.id}>
                <a
                  class="card"
                  href={to("templates", template.id)}
                  aria-current={template.id === chosen ? "true" : undefined}
                >
                  <h3>{template.name}</h3>
                  <code class="soft">{template.imageName}</code>
                  <Marks template={template} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Marks({ template }: { template: Template }) {
  const { category, isPublic, isPlatform, isServerless } = template;
  const marks = [
    category,
    ...(isPlatform ? ["by the operator"] : []),
    ...(isPublic ? ["public"] : []),
    ...(isServerless ? ["serverless"] : []),
  ];
  return (
    <span class="marks">
      {marks.map((mark) => (
        <span key={mark} class="mark">
          {mark}
        </span>
      ))}
    </span>
  );
}

interface TemplateViewProperties {
  readonly template: Template;
  readonly isOwn: boolean;
  readonly removed: () => void;
}

function TemplateView({ template, isOwn, removed }: TemplateViewProperties) {
  const [isAsked, setAsked] = useState(false);
  const { id, name, imageName, readme, env, runtimeInMin, volumeInGb, containerDiskInGb } = template;
  return (
    <section class="card panel" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <div class="actions">
          <a class="button small first" href={`${to("endpoints", "new")}?template=${encodeURIComponent(id)}`}>
            New endpoint
          </a>
          {isOwn ? (
            <>
              <a class="button small" href={to("templates", id, "edit")}>
                Edit
              </a>
              <button type="button" class="small danger" onClick={() => setAsked(true)}>
                Delete
              </button>
            </>
          ) : null}
        </div>
      </header>
      <div class="body stack">
        <dl class="facts">
          <div>
            <dt>Image</dt>
            <dd class="mono">{imageName}</dd>
          </div>
          <div>
            <dt>Disk and volume</dt>
            <dd>
              {containerDiskInGb} GB, {volumeInGb} GB
            </dd>
          </div>
          <div>
            <dt>Worker time</dt>
            <dd>{countText(runtimeInMin)} min</dd>
          </div>
          <div>
            <dt>Variables</dt>
            <dd class="mono">{Object.keys(env).join(", ") || "–"}</dd>
          </div>
        </dl>
        {readme === "" ? (
          <p class="soft">No readme.</p>
        ) : (
          <Guard what="The readme">
            <Markdown text={readme} />
          </Guard>
        )}
      </div>
      {isAsked ? (
        <DeleteTemplate template={template} close={() => setAsked(false)} removed={removed} />
      ) : null}
    </section>
  );
}

interface DeleteTemplateProperties {
  readonly template: Template;
  readonly close: () => void;
  readonly removed: () => void;
}

function DeleteTemplate({ template: { id, name }, close, removed }: DeleteTemplateProperties) {
  async function remove(): Promise<void> {
    await api.deleteTemplate(id);
    say(`${name} is deleted.`);
    goTo("templates");
    removed();
  }
  return (
    <Confirm title={`Delete the template ${name}?`} verb="Delete template" close={close} act={remove}>
      <p>You cannot delete a template that an endpoint uses.</p>
    </Confirm>
  );
}
