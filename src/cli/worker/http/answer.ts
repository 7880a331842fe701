import { JobFailure } from "../job-failure.ts";
import { linesOf, readAll } from "../read-output.ts";
import { valueOf, valueOfBytes } from "../value-of.ts";

/** How much of a refusal goes into the error of a job, characters. */
const HEAD = 1_000;

const LINE_TYPES = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/jsonlines",
  "application/x-jsonlines",
  "application/json-lines",
]);

/**
 * The answer of an upstream as the output of a job: a value, or for a stream its chunks. Throws JobFailure if
 * the answer is an error, or breaks off.
 */
export async function outputOf(response: Response, name: string, lines: boolean): Promise<unknown> {
  const body = bodyOf(response, name);
  if (response.status >= 400) {
    const text = new TextDecoder()
      .decode(await readAll(body))
      .trim()
      .slice(0, HEAD);
    throw new JobFailure(`${name} answered ${response.status}${text === "" ? "." : `: ${text}`}`);
  }
  const [type = ""] = (response.headers.get("content-type") ?? "").toLowerCase().split(";");
  const mediaType = type.trim();
  if (mediaType === "text/event-stream") return eventsOf(linesOf(body));
  if (lines || LINE_TYPES.has(mediaType)) return valuesOf(linesOf(body));
  return valueOfBytes(await readAll(body), mediaType);
}

async function* valuesOf(lines: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  for await (const line of lines) if (line.trim() !== "") yield valueOf(line);
}

async function* bodyOf({ body }: Response, name: string): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  try {
    yield* body;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new JobFailure(`the answer of ${name} ended early: ${reason}`);
  }
}

/** Ends a stream of events whose server keeps the connection open. */
const DONE = "[DONE]";

/** The data of the events in a text/event-stream. Comments, names and ids are left out. */
async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  let data: string[] = [];
  for await (const line of lines) {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    const text = data.join("\n");
    if (text === DONE) return;
    data = [];
    yield valueOf(text);
  }
  // The last event may lack the empty line after it.
  const rest = data.join("\n");
  if (rest !== "" && rest !== DONE) yield valueOf(rest);
}
