import { useRef, useState } from "preact/hooks";

/** What was saved, instead of what was read before. */
interface Saved<Value> {
  readonly instead: Value;
  readonly value: Value;
}

/**
 * A record as it was read, or as it was saved since: after a save, nothing shows the old values until the
 * next read. The second part is called with the record that a save answered.
 */
export function useSaved<Value>(read: Value): readonly [shown: Value, keep: (value: Value) => void] {
  const [saved, setSaved] = useState<Saved<Value>>();
  const newest = useRef(read);
  newest.current = read;
  const shown = saved !== undefined && saved.instead === read ? saved.value : read;
  return [shown, (value) => setSaved({ instead: newest.current, value })];
}
