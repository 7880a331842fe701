import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Key, NewKey } from "../../answers.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";

/** For how long the key from before a rotation stays good, ms. */
const OVERLAPS = [
  { name: "an hour", ms: 3_600_000 },
  { name: "a day", ms: 86_400_000 },
  { name: "a week", ms: 604_800_000 },
  { name: "not at all", ms: 0 },
] as const;

/** Makes a new key in the place of one, which can stay good for a while. */
export function RotateDialog({
  of,
  close,
  made,
}: {
  of: Key;
  close: () => void;
  made: (key: NewKey) => void;
}) {
  const [overlap, setOverlap] = useState(86_400_000);
  return (
    <Confirm
      title={`Rotate the key ${of.name}?`}
      verb="Make the new key"
      isDangerous={false}
      close={close}
      act={async () => made(await api.rotateKey(of.id, overlap))}
    >
      <p>
        A new key takes its place. The one before it can stay good for a while, in which you hand the new one
        out.
      </p>
      <Field label="The key from before stays good for">
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
