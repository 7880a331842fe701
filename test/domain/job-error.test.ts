import { describe, expect, test } from "bun:test";
import { headlineOf, jobErrorOf } from "../../src/domain/job-error.ts";

const PYTHON = `Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job
    handler_return = handler(job)
                     ^^^^^^^^^^^^
  File "/app/rp_handler.py", line 12, in handler
    return paint(job["input"]["colour"])
  File "/app/runpod/serverless/modules/rp_tips.py", line 3, in check
    check(value)
  File "<frozen importlib._bootstrap>", line 488, in _call
  File "/opt/conda/lib/python3.11/json/__init__.py", line 3, in loads
  File "/venv/site-packages/tool.py", line 7, in use
  File "/app/paint.py", line 4, in paint
    raise ValueError(f"no such colour: {colour}")
ValueError: no such colour: grün
`;

const OWN = [
  '  File "/app/rp_handler.py", line 12, in handler',
  '    return paint(job["input"]["colour"])',
  '  File "/app/paint.py", line 4, in paint',
  '    raise ValueError(f"no such colour: {colour}")',
];

const NODE = `TypeError: input.name is undefined
    at greet (/app/handler.ts:3:9)
    at run (/app/node_modules/@forebay/worker/src/run.ts:9:1)
    at async node:internal/process/task_queues:95:5`;

const described = (members: object): string =>
  JSON.stringify({ error_type: "<class 'torch.cuda.OutOfMemoryError'>", worker_id: "w1", ...members });

const ownLines = (error: string): string[] =>
  jobErrorOf(error).traceback.flatMap(({ text, part }) => (part === "own" ? [text] : []));

describe("the error of a job", () => {
  test("of the public Python SDK has a class, a message and every line of its traceback", () => {
    const error = jobErrorOf(described({ error_message: "no memory", error_traceback: PYTHON }));
    expect(error).toMatchObject({ type: "OutOfMemoryError", message: "no memory" });
    expect(error.traceback.map(({ text }) => text).join("\n")).toBe(PYTHON.trimEnd());
  });

  test("tells frames of the author's code from those of packages, runtimes and the SDK", () => {
    expect(ownLines(described({ error_message: "no", error_traceback: PYTHON }))).toEqual(OWN);
    expect(ownLines(described({ error_message: "no", error_traceback: NODE }))).toEqual([
      "    at greet (/app/handler.ts:3:9)",
    ]);
    const error = jobErrorOf(described({ error_message: "no", error_traceback: NODE }), () => true);
    expect(error.traceback.map(({ part }) => part)).toEqual(["note", "library", "library", "library"]);
  });

  test.each([
    ["of Python", PYTHON, "ValueError", "no such colour: grün"],
    ["of JavaScript", NODE, "TypeError", "input.name is undefined"],
    [
      "without a message",
      'Traceback:\n  File "/app/a.py", line 1\nKeyboardInterrupt',
      "KeyboardInterrupt",
      "",
    ],
    ["of a module", 'Traceback:\n  File "/a.py", line 1\nredis.exceptions.Busy: 1\n2', "Busy", "1\n2"],
  ])("that is the text of a traceback %s is read, too", (_, text, type, message) => {
    const error = jobErrorOf(text);
    expect([error.type, error.message]).toEqual([type, message]);
    expect(error.traceback.map((line) => line.text).join("\n")).toBe(text.trimEnd());
  });

  test.each([
    ["text", "prompt: must not be empty"],
    ["nothing", ""],
    ["JSON of another form", '{"reason":"no memory"}'],
    ["a list", "[1]"],
    ["a message that is no text", described({ error_message: 7 })],
    ["JSON that is broken before its message", '{"error_type":"A","error_mess'],
    ["braces", "{not JSON}"],
    ["a prototype", '{"__proto__":{"error_type":"A","error_message":"b"}}'],
  ])("that is %s is the message as it is", (_, text) => {
    expect(jobErrorOf(text)).toEqual({ type: undefined, message: text, traceback: [] });
  });

  test("whose JSON was cut anywhere behind its message is still read", () => {
    const whole = described({ error_message: 'a "quoted" \\ naïve 😀', error_traceback: PYTHON });
    const behind = whole.indexOf('"error_traceback":"') + '"error_traceback":"'.length;
    for (let end = behind; end < whole.length; end++) {
      const { type, message, traceback } = jobErrorOf(whole.slice(0, end));
      expect([end, type, message]).toEqual([end, "OutOfMemoryError", 'a "quoted" \\ naïve 😀']);
      expect(PYTHON).toStartWith(traceback.map(({ text }) => text).join("\n"));
    }
  });

  test("of megabytes is read in a moment, whatever it is made of", () => {
    const many = 1_000_000;
    for (const text of [
      "{".repeat(many),
      `{"error_message":"${"\\".repeat(many)}`,
      '  File "'.repeat(many / 8),
      `  File "/runpod/${"a/".repeat(many)}`,
      `${" ".repeat(many)}x`,
      " | ".repeat(many),
      "\n".repeat(many) + "x",
      '  File "/a.py", line 1\n'.repeat(many / 20),
    ]) {
      const shown = jobErrorOf(text);
      expect(headlineOf(shown).length + shown.traceback.length).toBeGreaterThan(0);
    }
  });
});
