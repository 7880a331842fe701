import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { ApiError } from "../api.ts";

/** What the server says of one member, or of the whole. */
export interface FormFault {
  readonly error: ApiError;
  /** The member that the sentence begins with; empty where it names none. */
  readonly member: string;
  /** Where within the member, as `run.requests`; empty where it is about the whole of it. */
  readonly path: string;
  readonly sentence: string;
}

/** The member of the body that an error is about stands before a colon (docs/api.md, 7). */
export function faultOf(error: ApiError): FormFault {
  const [, member = "", path = "", sentence = error.message] =
    /^([A-Za-z]+)(?:\.([^:]*))?: (.*)$/s.exec(error.message) ?? [];
  return { error, member: error.code === "NAME_TAKEN" ? "name" : member, path, sentence };
}

/** What is wrong with a member of a form; undefined when nothing is. */
export function wrongOf(fault: FormFault | undefined, member: string): string | undefined {
  if (fault?.member !== member) return undefined;
  return fault.path === "" ? fault.sentence : `${fault.path}: ${fault.sentence}`;
}

/** Sends a form, and holds what the server said of it. */
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

interface FieldProperties {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly wrong?: string | undefined;
  readonly isWide?: boolean;
  readonly children: (given: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": "true" | "false";
  }) => ComponentChildren;
}

/** A field with its label, what to know of it, and what is wrong with it beside it. */
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
