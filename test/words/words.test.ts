import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/domain/errors.ts";
import { grammarFaults } from "./grammar.ts";
import { linesOfPages } from "./pages.ts";
import { bannedIn } from "./phrases.ts";
import { sentencesOf } from "./sentences.ts";
import { snapshotOf } from "./snapshot.ts";
import { VALUES } from "./values.ts";

const FILE = join(import.meta.dir, "sentences.txt");
const DATA_LINE = /^key {2}/;

describe("the sentences of the product", () => {
  const { sentences, used } = sentencesOf("src", "sdk/src");
  const shown = sentences.filter(({ kind }) => kind !== "description" && kind !== "fault of the code");

  test("each one in the source is rendered with real values: test/words/values.ts", () => {
    const unknown = shown.flatMap(({ place, readings }) =>
      readings.filter((reading) => reading.includes("⟨")).map((reading) => `${place} ${reading}`),
    );
    expect(unknown).toEqual([]);
    expect(Object.keys(VALUES).filter((name) => !used.has(name))).toEqual([]);
  });

  test("each is in sentences.txt: FOREBAY_WORDS=update npm test -- words writes it anew", () => {
    const rendered = snapshotOf(shown);
    if (process.env["FOREBAY_WORDS"] === "update") writeFileSync(FILE, rendered);
    expect(rendered.split("\n")).toEqual(readFileSync(FILE, "utf8").split("\n"));
  });

  test("each code of an error has one", () => {
    const groups = new Set(shown.map(({ group }) => group));
    expect(Object.keys(ERRORS).filter((code) => !groups.has(code))).toEqual([]);
  });

  test("a and an, one and several are right, and no word is doubled", () => {
    const faults = shown.flatMap(({ place, readings }) =>
      readings
        .filter((reading) => !DATA_LINE.test(reading))
        .flatMap((reading) => grammarFaults(reading).map((fault) => `${place} ${fault} in: ${reading}`)),
    );
    expect(faults).toEqual([]);
    const wrong = grammarFaults("There is a endpoint with 1 jobs and 10 requests requests. It is sent as .");
    expect(wrong.map((fault) => fault.split(":")[0])).toEqual([
      "a doubled word",
      "a before a vowel",
      "one of several",
      "a value that is missing",
      "a doubled sign",
    ]);
  });
});

describe("plain words", () => {
  test("no banned phrase is in a text of the server, the commands, the console or the worker library", () => {
    const { sentences } = sentencesOf("src", "sdk/src", "console/src");
    const faults = sentences
      .filter(({ kind }) => kind !== "fault of the code")
      .flatMap(({ place, readings }) =>
        [...new Set(readings.map(lineOf).flatMap(bannedIn))].map((fault) => `${place} ${fault}`),
      );
    expect(faults).toEqual([]);
  });

  test("and none in the pages for users", () => {
    const faults = linesOfPages().flatMap(({ place, text }) =>
      bannedIn(text).map((fault) => `${place} ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  test.each([
    "Leave it",
    "What its worker printed",
    "May run, and live",
    "Queued again",
    "The one that does for all",
    "There is a word too many",
  ])("%s is banned", (phrase) => {
    expect(bannedIn(phrase)).toHaveLength(1);
  });
});

function lineOf(reading: string): string {
  return reading.replaceAll(/\s+/g, " ").trim();
}
