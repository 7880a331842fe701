import { Field, type FormFault, type GivenToControl, wrongOf } from "../../parts/field.tsx";
import { type Pairs, PairsField } from "../../parts/pairs.tsx";
import type { Member } from "./endpoint-members.ts";
import type { TypedValue } from "./member-values.ts";
import { RateLimitsField } from "./rate-limits-field.tsx";

interface MemberFieldProperties {
  readonly member: Member;
  readonly value: TypedValue;
  readonly fault: FormFault | undefined;
  readonly change: (value: TypedValue) => void;
}

/** The field for a member of its kind, with the error that the server reported for it. */
export function MemberField({ member, value, fault, change }: MemberFieldProperties) {
  const { name, label, hint, kind } = member;
  const wrong = wrongOf(fault, name);
  const text = typeof value === "string" ? value : "";
  const pairs: Pairs = typeof value === "string" ? [] : value;
  if (kind === "limits") {
    const here = fault?.member === name ? fault : undefined;
    return <RateLimitsField label={label} hint={hint} fault={here} pairs={pairs} change={change} />;
  }
  if (kind === "pairs" || kind === "hidden") {
    return (
      <PairsField
        label={label}
        hint={hint}
        wrong={wrong}
        example={kind === "hidden" ? ["Name", "value, not shown again"] : ["NAME", "value"]}
        pairs={pairs}
        change={change}
      />
    );
  }
  if (kind === "flag") {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={text === "true"}
          onChange={(event) => change(String(event.currentTarget.checked))}
        />
        {label}
      </label>
    );
  }
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(given) => <Control member={member} given={given} text={text} change={change} />}
    </Field>
  );
}

interface ControlProperties {
  readonly member: Member;
  readonly given: GivenToControl;
  readonly text: string;
  readonly change: (value: string) => void;
}

function Control({ member: { kind, choices = [] }, given, text, change }: ControlProperties) {
  if (kind === "choice") {
    return (
      <select {...given} value={text} onChange={(event) => change(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice.toLowerCase().replaceAll("_", " ")}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "list") {
    return (
      <textarea
        {...given}
        class="short"
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...given}
      inputMode={kind === "integer" ? "numeric" : "text"}
      value={text}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
