/** Text without the end of an event is passed on at this length: it is perhaps no event. Characters. */
const HELD_LIMIT = 2_097_152;

/** The end of an event (WHATWG HTML, 9.2.6). */
const EVENT_END = /\r?\n\r?\n/g;

/** A line that no event has: JSON over several lines, of which only the first has a field name. */
const UNNAMED_LINE = /\n[ \t}\]"]/;

/**
 * Turns the text that workers yield into whole Server-Sent Events. Workers cut the text anywhere; correct
 * events are passed on byte for byte. So no reader gets half an event when a worker dies. Two faults are
 * repaired: lines and events without an end, and JSON over several lines (wire-facts 4.2).
 */
export class EventText {
  #held = "";
  /** An end was added. If the worker's own end follows, it is dropped. */
  #isEnded = false;
  #isDone = false;

  /** Whether text has come that is no whole event yet. */
  get isHolding(): boolean {
    return this.#held !== "";
  }

  /** Whether the last event of an OpenAI stream has come. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Adds text, and returns what can be sent now. */
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

  /** Returns the held text with an end, because no more will come. */
  finish(): string {
    const held = this.#held.trimEnd();
    this.#held = "";
    return held === "" ? "" : this.#passed(`${held}\n\n`);
  }

  /** Returns the held text if it is an event that only lacks its end, or if it is too long to hold. */
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

/** Whether the data is complete: the end of the stream, or a JSON object. */
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
