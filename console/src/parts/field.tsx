import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { ApiError } from "../api.ts";

/** The error of the server about one member, or about the whole form. */
export interface FormFault {
  readonly error: ApiError;
  /** The member that the sentence begins with; empty if it names none. */
  readonly member: string;
  /** The place within the member, such as `run.requests`; empty for the whole member. */
  readonly path: string;
  readonly sentence: string;
}

/** An error begins with the member of the body that it is about, and a colon (docs/api.md, 7). */
export function faultOf(error: ApiError): FormFault {
  const [, member = "", path = "", sentence = error.message] =
    /^([A-Za-z]+)(?:\.([^:]*))?: (.*)$/s.exec(error.message) ?? [];
  return { error, member: error.code === "NAME_TAKEN" ? "name" : member, path, sentence };
}

/** The error about a member of a form; undefined if there is none. */
export function wrongOf(fault: FormFault | undefined, member: string): string | undefined {
  if (fault?.member !== member) return undefined;
  return fault.path === "" ? fault.sentence : `${fault.path}: ${fault.sentence}`;
}

/** Sends a form, and keeps the error of the server. */
export function useSending(): {
  fault: FormFault | undefined;
  isBusy: boolean;
  send: (act: () => Promise<unknown>) => Promise<void>;
} {
  const [fault, setFault] = useState<FormFault>();
  const [isBusy, setBusy] = useState(false);
  async function send(act: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setFault(undefined);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  }
  return { fault, isBusy, send };
}

/** Attributes that connect a control with its label and its error. */
export interface GivenToControl {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": "true" | "false";
}

interface FieldProperties {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly wrong?: string | undefined;
  readonly isWide?: boolean;
  readonly children: (given: GivenToControl) => ComponentChildren;
}

/** A field with its label, hint and error. */
export function Field({ label, hint, wrong, isWide = false, children }: FieldProperties) {
  const id = useId();
  const about = `${id}-about`;
  return (
    <div class={isWide ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": about, "aria-invalid": wrong === undefined ? "false" : "true" })}
      <div id={about}>
        {wrong === undefined ? null : (
          <span class="wrong" role="alert">
            {wrong}
          </span>
        )}
        {hint === undefined ? null : <small class="soft">{hint}</small>}
      </div>
    </div>
  );
}
