/** An event without its end is passed on once it is this long: it may be none. Characters. */
const HELD_LIMIT = 2_097_152;

/** The end of an event (WHATWG HTML, 9.2.6). */
const EVENT_END = /\r?\n\r?\n/g;

/** A line that can stand in no event: JSON over several lines, of which only the first has a name. */
const UNNAMED_LINE = /\n[ \t}\]"]/;

/**
 * What workers put out as text of Server-Sent Events, cut wherever they like, passed on as whole events: byte
 * for byte where they are right. No reader has half an event when its worker dies. Two faults of workers are
 * made good: lines and events without an end, and JSON over several lines (wire-facts 4.2).
 */
export class EventText {
  #held = "";
  /** An end was added: the worker's own, should it come, is one too many. */
  #isEnded = false;
  #isDone = false;

  /** Whether the event has come that ends a stream of OpenAI. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Adds text; what of it all can be passed on. */
  add(text: string): string {
    let more = text;
    if (this.#isEnded) {
      more = text.replace(/^[\r\n]+/, "");
      if (more === "") return "";
    }
    this.#isEnded = false;
    const isNewLine =
      /(?:^|\n)(?:event|id|retry):[^\n]*$/.test(this.#held) && /^(?:data|event|id):/.test(more);
    const all = isNewLine ? `${this.#held}\n${more}` : this.#held + more;
    const end = endOfEvents(all);
    this.#held = all.slice(end);
    return this.#passed(all.slice(0, end)) + this.#endedHere();
  }

  /** Adds JSON as an event of its own. */
  addEvent(json: string): string {
    return `${this.finish()}data: ${json}\n\n`;
  }

  /** What is held, with an end: no more will come. */
  finish(): string {
    const held = this.#held.trimEnd();
    this.#held = "";
    return held === "" ? "" : this.#passed(`${held}\n\n`);
  }

  /** What is held, where it is an event that lacks nothing but its end, or too long to hold. */
  #endedHere(): string {
    const held = this.#held;
    const [, names = "", data] = /^((?:(?:event|id|retry):.*\r?\n)*)data: ?(.*?)\s*$/s.exec(held) ?? [];
    if (data !== undefined && isWhole(data)) {
      this.#held = "";
      this.#isEnded = true;
      return this.#passed(`${names}data: ${data}\n\n`);
    }
    if (held.length <= HELD_LIMIT) return "";
    this.#held = "";
    return held;
  }

  #passed(events: string): string {
    if (/(?:^|\n)data: ?\[DONE\]/.test(events)) this.#isDone = true;
    return UNNAMED_LINE.test(events) ? events.replace(/\n(?=[ \t}\]"])/g, "") : events;
  }
}

function endOfEvents(text: string): number {
  let end = 0;
  for (const match of text.matchAll(EVENT_END)) end = match.index + match[0].length;
  return end;
}

/** Whether nothing can follow: the end of the stream, or a JSON object. */
function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  if (!data.startsWith("{") || !data.endsWith("}")) return false;
  try {
    JSON.parse(data);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
