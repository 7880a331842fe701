import type { Statistics } from "../answers.ts";
import { Command } from "./copy.tsx";

type WaitReason = NonNullable<Statistics["now"]["waits"]>;

/** Why jobs wait or would wait, a command that helps, and the last lines of a worker that failed. */
export function WaitNote({ reason }: { reason: WaitReason | undefined }) {
  if (reason === undefined) return null;
  const { message, command, lastLines = [] } = reason;
  return (
    <div class="note warn" role="status">
      <div class="stack close wait">
        <p>{message}</p>
        {command === undefined ? null : <Command label="Suggested command" text={command} />}
        {lastLines.length === 0 ? null : (
          <details>
            <summary>Last lines of the worker's log</summary>
            <pre>{lastLines.join("\n")}</pre>
          </details>
        )}
      </div>
    </div>
  );
}
