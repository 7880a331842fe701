import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "./dialog.tsx";
import { Field } from "./field.tsx";

/** How long the old one stays valid after a rotation, ms. */
const OVERLAPS = [
  { name: "an hour", ms: 3_600_000 },
  { name: "a day", ms: 86_400_000 },
  { name: "a week", ms: 604_800_000 },
  { name: "no time", ms: 0 },
] as const;

interface RotateDialogProperties {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly verb: string;
  /** The label of the choice. */
  readonly stays: string;
  readonly act: (overlapMs: number) => Promise<unknown>;
  readonly close: () => void;
}

/** Asks how long the old one stays valid, before it is rotated. */
export function RotateDialog({ title, children, verb, stays, act, close }: RotateDialogProperties) {
  const [overlap, setOverlap] = useState(86_400_000);
  return (
    <Confirm title={title} verb={verb} isDangerous={false} close={close} act={() => act(overlap)}>
      {children}
      <Field label={stays}>
        {(given) => (
          <select
            {...given}
            value={String(overlap)}
            onChange={(event) => setOverlap(Number(event.currentTarget.value))}
          >
            {OVERLAPS.map(({ name, ms }) => (
              <option key={ms} value={String(ms)}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Confirm>
  );
}
