import { describe, expect, test } from "bun:test";
import { keptAmounts, loadConfig } from "../../src/config/config.ts";
import { durationIn, durationInUnits, durationOrMilliseconds } from "../../src/domain/duration-text.ts";

describe("durations as people write them", () => {
  test.each([
    ["500ms", 500],
    ["0s", 0],
    ["90s", 90_000],
    ["10m", 600_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["1h 30m", 5_400_000],
    ["1h30m", 5_400_000],
    [" 1 D 2 h 3 m 4 s 5 ms ", 93_784_005],
  ])("%s", (text, ms) => {
    expect(durationIn(text)).toBe(ms);
  });

  test.each(["", " ", "10", "m", "1.5h", "-1s", "30m 1h", "1h 1h", "10 minutes", "1e3s", "1h,30m", "१s"])(
    "%j is none",
    (text) => {
      expect(durationIn(text)).toBeUndefined();
    },
  );

  test("a long text that is none is refused at once", () => {
    expect(durationIn(`1d${" ".repeat(100_000)}x`)).toBeUndefined();
    expect(durationIn(`1d${" ".repeat(100_000)}2h`)).toBe(93_600_000);
  });

  test("a whole number is milliseconds where those were taken before durations", () => {
    expect(["1500", "0", "10m", "1h 30m"].map(durationOrMilliseconds)).toEqual([
      1_500, 0, 600_000, 5_400_000,
    ]);
    expect(["", "1.5", "-1", "1e3", "10 minutes"].map(durationOrMilliseconds)).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("the settings of the server that end in -ms take both, up to a day", () => {
    const { drainGrace, hostTimeout } = loadConfig(
      { "drain-grace-ms": "10m" },
      { FOREBAY_HOST_TIMEOUT_MS: "1500" },
    );
    expect([drainGrace, hostTimeout]).toEqual([600_000, 1_500]);
    for (const wrong of ["0", "25h", "x"]) {
      expect(() => loadConfig({ "drain-grace-ms": wrong }, {})).toThrow("or a duration such as 30s");
    }
    expect(() => loadConfig({ history: "12" }, {})).toThrow("a time like 12h or 7d");
    expect(keptAmounts(loadConfig({ history: "1d 12h" }, {})).historyLimits.age).toBe(129_600_000);
  });

  test("a duration in units is read as the same duration", () => {
    const days = 86_400_000;
    for (let ms = 0; ms < 8 * days; ms += 1_234_567) expect(durationIn(durationInUnits(ms))).toBe(ms);
    expect([0, 60_000, 1_800_000, days, 5_400_000, 1_500].map(durationInUnits)).toEqual([
      "0s",
      "1m",
      "30m",
      "1d",
      "1h 30m",
      "1s 500ms",
    ]);
  });
});
