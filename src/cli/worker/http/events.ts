import { valueOf } from "../value-of.ts";

/** What ends a stream of events that its server leaves open. */
const DONE = "[DONE]";

/** The data of the events of a text/event-stream, by its lines; comments, names and ids are left out. */
export async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  let data: string[] = [];
  for await (const line of lines) {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    const text = data.join("\n");
    if (text === DONE) return;
    data = [];
    yield valueOf(text);
  }
  // A server that ends without the empty line has said this all the same.
  const rest = data.join("\n");
  if (rest !== "" && rest !== DONE) yield valueOf(rest);
}
