import { expect, test } from "bun:test";
import { positionAt } from "../../src/domain/ids.ts";
import { jobIds } from "../../src/engine/job-ids.ts";

const NOW = 1_750_000_000_000;

test("positions increase, also if the clock stands still or is set back", () => {
  const ids = jobIds((bytes) => crypto.getRandomValues(bytes));
  const first = positionAt(NOW);
  expect(ids.nextPosition(NOW)).toBe(first);
  expect(ids.nextPosition(NOW)).toBe(first + 1);
  expect(ids.nextPosition(NOW - 5_000)).toBe(first + 2);
  expect(ids.nextPosition(NOW + 1)).toBe(positionAt(NOW + 1));
});

test("each id has its own random bytes, drawn for many ids at once", () => {
  let draws = 0;
  const ids = jobIds((bytes) => {
    draws++;
    crypto.getRandomValues(bytes);
  });
  // All at one position, so that nothing else tells them apart.
  const drawn = Array.from({ length: 1_025 }, () => ids.idAt(1, "run"));
  expect(new Set(drawn).size).toBe(1_025);
  expect(draws).toBe(3);
});
