import { ForebayError } from "@forebay/worker/client";
import { visibleLine } from "../../domain/visible-text.ts";
import type { TimelineAnswer } from "../../http/answers/timeline.ts";
import { callServer, endpointInPath, type ServerAccess } from "../server-call.ts";

type WaitReason = NonNullable<TimelineAnswer["reason"]>;

/** How long a job waits before anybody is told why, ms: most jobs are handed out sooner. */
export const SILENT_WAIT = 1_000;

/** Why a job waits; undefined if it does not wait, or if the server does not answer. */
export async function waitReasonOf(
  access: ServerAccess,
  endpoint: string,
  job: string,
): Promise<WaitReason | undefined> {
  try {
    const path = `/v1/endpoints/${endpointInPath(endpoint)}/jobs/${job}`;
    return (await callServer<TimelineAnswer>(access, path, '{"id":')).reason;
  } catch (error) {
    if (error instanceof ForebayError) return undefined;
    throw error;
  }
}

/** The lines that say why a job waits, and what to do. */
export function waitingLines({ message, command, lastLines = [] }: WaitReason): readonly string[] {
  const printed = lastLines.slice(-SHOWN_LINES).map((line) => `  | ${line}`);
  return [message, ...printed, ...(command === undefined ? [] : [`  ${command}`])].map(visibleLine);
}

/** Of the last lines of a worker. */
const SHOWN_LINES = 5;
