import { api } from "../api.ts";
import { usePolled } from "../parts/use-polled.ts";

/** ms. */
const EVERY = 60_000;

const GB = 1_073_741_824;

/** A warning on every page while the disk of the server is almost full. */
export function DiskNote() {
  const { value } = usePolled("ready", EVERY, (signal) => api.ready(signal));
  const disk = value?.disk;
  if (disk === undefined || disk.state === "ok") return null;
  const room = `${gb(disk.freeBytes)} of ${gb(disk.totalBytes)} GB are free.`;
  const isFull = disk.state === "full";
  return (
    <div class={`note ${isFull ? "bad" : "warn"}`} role="status">
      {isFull
        ? `The disk of the server is full: new jobs are refused, or will be in a moment. ${room}`
        : `The disk of the server is almost full. ${room}`}
    </div>
  );
}

function gb(bytes: number): string {
  return (bytes / GB).toFixed(1);
}
