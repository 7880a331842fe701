import { describe, expect, test } from "bun:test";
import { dirname } from "node:path";
import { longestFunction } from "./support/longest-function.ts";
import { cyclesOf, filesOf, importsOf, withoutAnswers } from "./support/source-files.ts";

/** Which rooms each room may import from; `main.ts` sees all (design, section 3). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  host: ["domain"],
  store: ["host", "domain"],
  engine: ["store", "domain"],
  fleet: ["domain"],
  outbound: ["domain"],
  config: ["fleet", "outbound", "domain"],
  data: ["config", "engine", "store", "host", "domain"],
  background: ["engine", "fleet", "outbound", "domain"],
  http: ["engine", "domain"],
  dev: ["main", "config", "background", "engine", "fleet", "domain"],
  doctor: ["data", "config", "fleet", "store", "host", "domain"],
  // "hello" is the example worker in examples/hello.
  cli: ["main", "doctor", "dev", "data", "config", "fleet", "host", "domain", "hello"],
};

/** Only these may read a clock, draw random numbers or start timers of their own. */
const EDGES = new Set([
  "src/host/system-clock.ts",
  "src/host/json-log.ts",
  "src/host/process-vitals.ts",
  "src/http/answer-requests.ts",
  "src/http/refused-body.ts",
  "src/http/server.ts",
  "src/store/postgres/postgres-driver.ts",
  "src/cli/process-end.ts",
  "src/cli/terminal/progress-line.ts",
]);

/** Only these may name the runtime. */
const ADAPTERS = new Set([
  "src/http/server.ts",
  "src/http/connections/sockets.ts",
  "src/http/console/console-files.ts",
  "src/http/list-reply.ts",
  "src/cli/dev/run-file.ts",
  "src/host/own-program.ts",
  "src/store/sqlite/sqlite-driver.ts",
  "src/store/postgres/postgres-driver.ts",
]);

/**
 * Only these may have an upper bound on time that really passed, each for its reason: everywhere else a busy
 * machine would fail the test. Say instead what the time stands for: an order of events, a count, the time of
 * a ManualClock. Figures belong in `bench/`.
 */
const TIMED_TESTS: Readonly<Record<string, string>> = {
  "test/system-clock.test.ts": "what is tested is the clock of the system itself, by a margin of a second",
  "test/e2e/deadlines.test.ts": "the fault would be an hour, and the bound is half of that",
};

/** The answers of the API. The commands and the console import their types, and no more of the server. */
const ANSWERS = "src/http/answers/";

/** Has the name of the dialect of an answer, and imports the domain alone. */
const DIALECT = "src/http/call.ts";

/** Pure functions that the commands and the console need: only these does the console take from `src`. */
const SHARED_WITH_CONSOLE = new Set(["src/domain/duration-text.ts", "src/domain/job-error.ts"]);

const FILE_LIMIT = 300;
const LINE_LIMIT = 110;
const FUNCTION_LIMIT = 60;

/** A file with fewer lines belongs to the file of its idea, unless this many folders import it. */
const SMALL = 30;
const FOLDERS = 3;

/** The entry points of the packages. */
const ENTRIES = new Set(["sdk/src/index.ts", "sdk/src/client/index.ts"]);

const sources = filesOf("src");
const product = [...sources, ...filesOf("sdk/src"), ...filesOf("console/src")];
const ours = [
  ...product,
  ...filesOf("build"),
  ...filesOf("test"),
  ...filesOf("bench"),
  ...filesOf("examples"),
];

describe("the layout of the code keeps its rules", () => {
  test("src holds main.ts and rooms", () => {
    const loose = sources.map(({ path }) => path).filter((path) => dirname(path) === "src");
    expect(loose).toEqual(["src/main.ts"]);
    const rooms = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room !== "main"));
    expect([...rooms].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  test("imports run one way: each room imports only from the rooms below it", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file.path.startsWith("src/cli/") ? withoutAnswers(file) : file)
        .filter((target) => !isAllowed(file.path, target))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("only the adapters of a database know its SQL: other rooms see the contract", () => {
    const wrong = sources
      .filter((file) => !/^src\/(store|main\.ts)/.test(file.path))
      .flatMap((file) => importsOf(file).filter((target) => /^src\/store\/(sqlite|postgres)\//.test(target)));
    expect(wrong).toEqual([]);
  });

  test("only the commands are a client of the server: no other room uses the package in sdk", () => {
    const wrong = sources.filter(
      ({ path, text }) => !path.startsWith("src/cli/") && /from "@forebay\//.test(text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("answers need the domain alone, so that the console has their types without the server", () => {
    const answers = sources.filter(({ path }) => path.startsWith(ANSWERS));
    const wrong = answers.flatMap((file) =>
      importsOf(file).filter(
        (target) => !target.startsWith("src/domain/") && !target.startsWith(ANSWERS) && target !== DIALECT,
      ),
    );
    expect(answers.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  test("the console asks the server through one file, shares named files, and makes no HTML", () => {
    const files = filesOf("console/src");
    const asking = files.filter(({ text }) =>
      /\bfetch\((?!url)|\bnew EventSource\(|XMLHttpRequest|WebSocket/.test(text),
    );
    expect(asking.map((file) => file.path)).toEqual(["console/src/api.ts"]);
    const outside = files.flatMap((file) =>
      importsOf(file.path === "console/src/answers.ts" ? withoutAnswers(file) : file).filter(
        (target) => !target.startsWith("console/") && !SHARED_WITH_CONSOLE.has(target),
      ),
    );
    expect(outside).toEqual([]);
    const unsafe = /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write/;
    expect(files.filter(({ text }) => unsafe.test(text)).map((file) => file.path)).toEqual([]);
  });

  test("no file imports itself through others, types included", () => {
    const graph = new Map(sources.map((file) => [file.path, importsOf(file)]));
    expect(cyclesOf(graph)).toEqual([]);
  });

  test("only the edges read a clock, draw random numbers or start timers", () => {
    const clocks =
      /\bDate\.now\(|\bnew Date\(\)|performance\.now\(|\bsetTimeout\(|\bsetInterval\(|Math\.random\(/;
    const wrong = sources.filter((file) => !EDGES.has(file.path) && clocks.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("no test expects that something takes less than some real time, but for those with a reason", () => {
    const tests = filesOf("test").filter(({ path }) => !/^test\/(bench\/|architecture)/.test(path));
    const timed = tests.filter(({ text }) => boundsRealTime(text)).map(({ path }) => path);
    expect(timed.toSorted()).toEqual(Object.keys(TIMED_TESTS).toSorted());
  });

  test.each([
    "expect(performance.now() - startedAt).toBeLessThan(50);",
    "const took = Date.now() - since;\nconst all = took + 1;\nexpect(all).toBeLessThanOrEqual(LIMIT);",
    "waits.push(performance.now() - startedAt);\nexpect(waits[50]).toBeLessThan(PROMISE);",
    "slowest = Math.max(slowest, performance.now() - at);\nexpect(slowest).toBeLessThan(1_000);",
    "const isInTime = performance.now() - startedAt < PROMISE;",
  ])("such a test is found: %j", (text) => expect(boundsRealTime(text)).toBe(true));

  test.each([
    "expect(performance.now() - since).toBeGreaterThanOrEqual(300);",
    "const now = clock.now();\nexpect(now - before).toBeLessThan(50);",
    "const seconds = (performance.now() - since) / 1_000;\nexpect(calls).toBeLessThan(10 * seconds);",
    "while (performance.now() < giveUpAt) await look();",
  ])("and another one is not: %j", (text) => expect(boundsRealTime(text)).toBe(false));

  test("SQL never asks the time", () => {
    const wrong = sources.filter((file) =>
      /CURRENT_TIMESTAMP|datetime\('now|unixepoch\(|strftime\(/i.test(file.text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("only the adapters name the runtime", () => {
    const wrong = sources.filter((file) => !ADAPTERS.has(file.path) && /\bBun\.|"bun[:"]/.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test(`no file is longer than ${FILE_LIMIT} lines, no line than ${LINE_LIMIT} characters`, () => {
    const long = ours
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .filter(({ lines }) => lines > FILE_LIMIT)
      .map(({ path, lines }) => `${path}: ${lines} lines`);
    const wide = ours.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          line.length > LINE_LIMIT ? [`${path}:${index + 1}: ${line.length} characters`] : [],
        ),
    );
    expect([...long, ...wide]).toEqual([]);
  });

  test(`a file with under ${SMALL} lines is imported by ${FOLDERS} folders`, () => {
    const folders = new Map<string, Set<string>>();
    for (const file of product) {
      for (const target of importsOf(file))
        folders.set(target, (folders.get(target) ?? new Set()).add(dirname(file.path)));
    }
    const small = product
      .filter(({ path, text }) => text.split("\n").length - 1 < SMALL && !ENTRIES.has(path))
      .filter(({ path }) => (folders.get(path)?.size ?? 0) < FOLDERS);
    expect(small.map(({ path }) => path)).toEqual([]);
  });

  test(`no function is longer than ${FUNCTION_LIMIT} lines`, () => {
    const longest = product.map(({ path, text }) => [path, longestFunction(path, text)] as const);
    expect(longest.filter(([, lines]) => lines > FUNCTION_LIMIT)).toEqual([]);
  });

  test.each([
    ["function f() {\n  return 1;\n}\n", 3],
    ["const f = () => {\n  g(() => {\n    h();\n  });\n};\n", 5],
    ["class C {\n  m(\n    a: number,\n  ) {\n    return a;\n  }\n}\n", 3],
    ["const f = () => (\n  <p>\n    text\n  </p>\n);\n", 5],
    ["declare function f(): void;\n", 0],
  ])("the longest function of %j has %i lines", (text, lines) =>
    expect(longestFunction("file.tsx", text)).toBe(lines),
  );

  test("no file is named after nothing", () => {
    const wrong = ours.filter(({ path }) => /\b(utils?|helpers?|manager|misc|common)\b/.test(path));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});

/** Whether a value of a clock of the machine, or one that was reckoned from it, is expected to be small. */
function boundsRealTime(text: string): boolean {
  const clock = String.raw`\b(?:performance\.now|Date\.now|process\.hrtime|Bun\.nanoseconds)\b`;
  let times = clock;
  for (let known = -1, names = new Set<string>(); names.size > known;) {
    known = names.size;
    const assigned = new RegExp(String.raw`(\w+)(?: =|: | \+=|\.push\()[^;=]*(?:${times})`, "g");
    for (const [, name = ""] of text.matchAll(assigned)) names.add(name);
    times = [clock, ...[...names].map((name) => String.raw`(?<!\.)\b${name}\b`)].join("|");
  }
  const expected = new RegExp(String.raw`expect\([^;]*?(?:${times})[^;]*\)\s*\.toBeLessThan`);
  return expected.test(text) || new RegExp(String.raw`${clock}\(\) - \w+ <`).test(text);
}

/** The room of a file: the folder below src, or `main`. */
function roomOf(path: string): string {
  return (path.split("/")[1] ?? "").replace(/\.ts$/, "");
}

function isAllowed(path: string, target: string): boolean {
  const room = roomOf(path);
  if (room === "main") return true;
  return roomOf(target) === room || (MAY_IMPORT[room] ?? []).includes(roomOf(target));
}
