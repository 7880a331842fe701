import { describe, expect, test } from "bun:test";
import { isReservedName, whyUnreachable } from "../../src/domain/endpoint-name.ts";
import { isId, jobId, kindOf, positionAt } from "../../src/domain/ids.ts";
import { isPlace, placeOf, submittedAt } from "../../src/domain/job-places.ts";
import { covers, OPERATORS_SCOPES, SCOPES } from "../../src/domain/scope.ts";
import { commandNameOf, registryOf } from "../../src/domain/template.ts";
import { traceContext } from "../../src/domain/trace-context.ts";
import { visibleLine, visibleText } from "../../src/domain/visible-text.ts";
import { tokenIdOf, versionEnding, versionOf, workerOf } from "../../src/domain/worker.ts";

describe("the id of a job", () => {
  const RANDOM = Uint8Array.from([0xff, 1, 2, 3, 4, 5, 6, 0xab]);
  const NOW = 0x0199_1234_5678;

  test("is a UUIDv7 of its position, with a prefix for runsync", () => {
    const position = positionAt(NOW) + 5;
    expect(position).toBe(NOW * 1_024 + 5);
    expect(jobId("run", position, RANDOM)).toBe("01991234-5678-7005-bf01-0203040506ab-u1");
    expect(jobId("runsync", position, RANDOM)).toBe("sync-01991234-5678-7005-bf01-0203040506ab-u1");
    expect(() => jobId("run", position, RANDOM.subarray(1))).toThrow(RangeError);
  });

  test("tells kind, time and place", () => {
    for (const kind of ["run", "runsync"] as const) {
      const id = jobId(kind, positionAt(NOW) + 1_023, RANDOM);
      expect([kindOf(id), submittedAt(id)]).toEqual([kind, NOW]);
      expect(placeOf(id)).toBe("01991234-5678-73ff-bf01-0203040506ab-u1");
      expect([isPlace(placeOf(id)), isPlace(id), isId(id)]).toEqual([true, kind === "run", true]);
    }
    expect(isPlace("x01991234-5678-73ff-bf01-0203040506ab-u1")).toBe(false);
    expect(isPlace("01991234-5678-73ff-bf01-0203040506ab-u1x")).toBe(false);
  });

  test("has up to 128 letters, digits, _ and -", () => {
    expect(["a", "A-_9", "a".repeat(128)].map(isId)).toEqual([true, true, true]);
    expect(["", "a".repeat(129), "a b", "a/b", "ä", "a\n"].map(isId)).not.toContain(true);
  });
});

describe("the id of a worker", () => {
  const token = { id: "pod_7", account: "a", endpoint: "e", many: false, managed: true, digest: "" };

  test("is that of its token, or begins with it where many share the token", () => {
    expect(workerOf(token, "x")).toEqual({ endpoint: "e", id: "pod_7", sharesToken: false });
    expect(workerOf({ ...token, many: true }, "x")).toEqual({
      endpoint: "e",
      id: "pod_7-x",
      sharesToken: true,
    });
    expect([tokenIdOf("pod_7-x-y"), tokenIdOf("pod_7")]).toEqual(["pod_7", "pod_7"]);
  });

  test("ends with the version that the worker was started from", () => {
    expect(versionEnding(12)).toBe("_12");
    expect([versionOf("pod_12-x"), versionOf("pod_3"), versionOf("pod")]).toEqual([12, 3, undefined]);
  });
});

describe("scopes", () => {
  test("each contains those before it; only admin contains metrics", () => {
    const held = (scope: (typeof SCOPES)[number]) => SCOPES.filter((one) => covers([scope], one)).join(" ");
    expect(SCOPES.map((scope) => `${scope}: ${held(scope)}`)).toEqual([
      "read: read",
      "write: read write",
      "manage: read write manage",
      "admin: read write manage admin metrics",
      "metrics: metrics",
    ]);
    expect(covers([], "read")).toBe(false);
    expect(covers(["metrics", "read"], "read")).toBe(true);
    expect(OPERATORS_SCOPES).toEqual(["admin", "metrics"]);
  });
});

describe("the name of an endpoint", () => {
  const RESERVED =
    "serverless templates registries network-volumes catalog billing account pods clusters openapi.json . ..";

  test.each(RESERVED.split(" "))("%s is reserved", (name) => {
    expect(isReservedName(name)).toBe(true);
    expect(whyUnreachable({ id: name, name: "x" }, () => false)).toBe(
      "its id is a reserved word: no path leads to it",
    );
    expect(whyUnreachable({ id: "x", name }, () => false)).toBe(
      "its name is a reserved word: paths take its id alone",
    );
  });

  test("that is the id of another one leads to that one", () => {
    const hasId = (text: string) => text === "b";
    expect(whyUnreachable({ id: "a", name: "b" }, hasId)).toBe(
      "its name is the id of another endpoint: paths take its own id alone",
    );
    expect(whyUnreachable({ id: "b", name: "b" }, hasId)).toBeUndefined();
    expect(whyUnreachable({ id: "a", name: "c" }, hasId)).toBeUndefined();
    expect(isReservedName("serverless2")).toBe(false);
  });
});

describe("the image of a template", () => {
  test("names a command of the operator with process/", () => {
    expect(commandNameOf("process/echo")).toBe("echo");
    expect(commandNameOf("ghcr.io/process/echo")).toBeUndefined();
  });

  test.each([
    ["ghcr.io/a/b", "ghcr.io"],
    ["host:5000/a", "host:5000"],
    ["localhost/a", "localhost"],
    ["a/b", "docker.io"],
    ["busybox:1.36", "docker.io"],
    ["localhost", "docker.io"],
  ])("%s comes from %s", (image, registry) => {
    expect(registryOf(image)).toBe(registry);
  });
});

describe("the trace context of a call", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const PARENT = "b7ad6b7169203331";
  const parent = (version: string, flags: string, more = "") =>
    `${version}-${TRACE}-${PARENT}-${flags}${more}`;

  test.each([
    [parent("00", "01"), parent("00", "01")],
    [parent("00", "00"), parent("00", "00")],
    [parent("00", "ff"), parent("00", "03")],
    [parent("cc", "02"), parent("00", "02")],
    [parent("cc", "01", "-more"), parent("00", "01")],
  ])("%s is passed on as %s", (given, traceparent) => {
    expect(traceContext(given, undefined)).toEqual({ traceparent });
  });

  test.each([
    parent("ff", "01"),
    parent("00", "01", "-more"),
    parent("cc", "01", "more"),
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    ` ${parent("00", "01")}`,
    `${parent("00", "01")}, ${parent("00", "01")}`,
    undefined,
  ])("%s is none", (given) => {
    expect(traceContext(given, undefined)).toBeUndefined();
  });

  const members = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(",");

  test.each(["a=b", "a=b,c=d", " a=b ,\tc=d", "a=b,,c=d", "t@v=x y", members(32), `a=${"v".repeat(256)}`])(
    "passes the state %s on",
    (tracestate) => {
      const traceparent = parent("00", "01");
      expect(traceContext(traceparent, tracestate)).toEqual({ traceparent, tracestate });
    },
  );

  test.each([
    "",
    ",",
    "a",
    "A=b",
    "a=",
    "a=b,a=c",
    "a=b, a=c",
    "a=b=c",
    members(33),
    `a=${"v".repeat(257)}`,
    7,
  ])("leaves the state %s out", (tracestate) => {
    const traceparent = parent("00", "01");
    expect(traceContext(traceparent, tracestate)).toEqual({ traceparent });
  });
});

test("what a terminal obeys is written as \\u and four digits; tabs and line feeds stay", () => {
  expect(visibleText("a\u001b[0m\t\nb\u202e")).toBe("a\\u001b[0m\t\nb\\u202e");
  expect(visibleLine("a\u0007\t\nb")).toBe("a\\u0007\\t\\nb");
});
