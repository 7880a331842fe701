import type { ComponentChildren } from "preact";
import type { Template } from "../../answers.ts";
import { Field } from "../../parts/field.tsx";

interface TemplateFieldProperties {
  /** Undefined until they are read. */
  readonly templates: readonly Template[] | undefined;
  readonly hint: ComponentChildren;
  readonly wrong: string | undefined;
  /** The id of the chosen template; empty: none. */
  readonly value: string;
  readonly choose: (id: string) => void;
}

/** Chooses the template of an endpoint, or none. */
export function TemplateField({ templates, hint, wrong, value, choose }: TemplateFieldProperties) {
  return (
    <Field label="Template" hint={hint} wrong={wrong}>
      {(given) => (
        <select {...given} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">none: you start the workers</option>
          {templates?.map(({ id, name, imageName }) => (
            <option key={id} value={id}>
              {name} ({imageName})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
