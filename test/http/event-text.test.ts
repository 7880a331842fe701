import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { EventText } from "../../src/http/openai/event-text.ts";

const RUNS = Number(process.env["RUNS"] ?? 500);

/** JSON objects in one line, with text that looks like events. */
const json = fc
  .dictionary(
    fc.string(),
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("data: [DONE]\n\ndata: x"), fc.double()),
  )
  .map((value) => JSON.stringify(value));

const END = fc.constantFrom("\n\n", "\r\n\r\n");
const event = fc.oneof(
  fc.tuple(json, END).map(([data, end]) => `data: ${data}${end}`),
  fc.tuple(json, END).map(([data, end]) => `event: some.type\nid: 1\ndata: ${data}${end}`),
  fc.constantFrom(": comment\n\n", "data: [DONE]\n\n", "data:[1,2]\n\n"),
);

/** The events, and the places at which they are cut. */
const stream = fc.tuple(fc.array(event, { maxLength: 8 }), fc.array(fc.nat(1_000), { maxLength: 12 }));

function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

describe("text of events, cut anywhere", () => {
  test("leaves as it came, ends of lines aside, and always as whole events", () => {
    fc.assert(
      fc.property(stream, ([events, cuts]) => {
        const text = new EventText();
        const whole = events.join("");
        let passed = "";
        for (const piece of piecesOf(whole, cuts)) {
          const more = text.add(piece);
          expect(more === "" || /\n\r?\n$/.test(more)).toBe(true);
          passed += more;
        }
        passed += text.finish();
        expect(passed.replaceAll("\r\n", "\n")).toBe(whole.replaceAll("\r\n", "\n"));
        expect(text.isDone).toBe(events.includes("data: [DONE]\n\n"));
      }),
      { numRuns: RUNS },
    );
  });

  test("whatever is no event is passed on at the end, and never breaks", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 10 }), (pieces) => {
        const text = new EventText();
        const passed = pieces.map((piece) => text.add(piece)).join("") + text.finish();
        const bare = (value: string): string => value.replace(/\s/g, "");
        expect(bare(passed)).toBe(bare(pieces.join("")));
      }),
      { numRuns: RUNS },
    );
  });
});
