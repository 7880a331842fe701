import { expect, test } from "bun:test";
import { ForebayError } from "../../src/domain/errors.ts";
import { DirectEvents } from "../../src/http/event-stream.ts";

test("the generator sends what a worker has sent wrongly; any other error is not hidden", () => {
  const direct = new DirectEvents();
  const sent: unknown[] = [];
  direct.connect({ write: (data) => sent.push(data), flush: () => undefined });

  expect(direct.offer(() => "data: 1\n\n")).toBe(true);
  const malformed = new ForebayError("MALFORMED_JSON", "The body is not JSON.");
  expect(direct.offer(() => fail(malformed))).toBe(false);
  expect(() => direct.offer(() => fail(new TypeError("a fault")))).toThrow("a fault");
  expect(sent).toEqual(["data: 1\n\n"]);
});

function fail(error: Error): never {
  throw error;
}
