import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";

const BODY = "{}";

/** What can stand in a Content-Length; the first ones are the length of BODY. */
const LENGTHS = [
  "2",
  "02",
  " 2",
  "2\t",
  "+2",
  "-2",
  "0x2",
  "2.0",
  "2e0",
  "2 2",
  "2, 2",
  "2,",
  "",
  "Infinity",
  "9007199254740993",
  "99999999999999999999",
  `${"0".repeat(30)}2`,
] as const;

/** What can stand in a Transfer-Encoding. */
const CODINGS = ["chunked", "identity", "gzip, chunked", "chunked, chunked", "xchunked", ""] as const;

const length = (value: string): string => `content-length: ${value}`;
const coding = (value: string): string => `transfer-encoding: ${value}`;

/** Each alone, and each two of them in both orders. */
const COMBINATIONS: readonly (readonly string[])[] = [
  ...LENGTHS.map((value) => [length(value)]),
  ...CODINGS.map((value) => [coding(value)]),
  ...LENGTHS.flatMap((one) => LENGTHS.map((other) => [length(one), length(other)])),
  ...LENGTHS.flatMap((one) => CODINGS.flatMap((other) => bothWays(length(one), coding(other)))),
  [length("2"), length("2"), length("2")],
  [length("100000"), length("100000")],
];

function bothWays(one: string, other: string): string[][] {
  return [
    [one, other],
    [other, one],
  ];
}

/** Larger than a small body, so the server must find room for it. */
const LARGE = "[".repeat(100_000);

describe("input 18: lengths and transfer codings in all combinations", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  /** Clients' bodies and workers' bodies have room of their own; both must still be free. */
  async function stillTakesLargeBodies({ server, endpoint, worker }: Trial): Promise<void> {
    const submitted = await server.post(`/v2/${endpoint}/run`, LARGE);
    expect([submitted.status, submitted.json.code]).toEqual([400, "MALFORMED_JSON"]);
    const reported = await worker.done("no-job", { output: LARGE });
    expect(reported.status).toBe(200);
  }

  async function send(trial: Trial, start: string, lines: readonly string[]): Promise<number[]> {
    const connection = new RawConnection(trial.server.url);
    connection.write([`${start} HTTP/1.1`, "host: a", ...lines, "", BODY].join("\r\n"));
    const statuses = await connection.answers(1);
    connection.end();
    return statuses;
  }

  const PATHS: Readonly<Record<string, (trial: Trial) => readonly [start: string, ...lines: string[]]>> = {
    "of anybody at the console": () => ["POST /console/session"],
    "of a worker": ({ endpoint, worker }) => [
      `POST /v2/${endpoint}/job-done/${worker.id}/no-job?isStream=false`,
      `authorization: ${worker.env["FOREBAY_WORKER_TOKEN"]}`,
    ],
  };
  for (const [whose, request] of Object.entries(PATHS)) {
    test(
      `input 18: after each request ${whose} large bodies still pass`,
      () =>
        tried.trial(async (trial) => {
          for (const combination of COMBINATIONS) {
            const [start, ...lines] = request(trial);
            const statuses = await send(trial, start, [...lines, ...combination]);
            expect([combination, statuses.filter((status) => status >= 500)]).toEqual([combination, []]);
            expect([combination, statuses.length <= 1]).toEqual([combination, true]);
            await stillTakesLargeBodies(trial);
          }
          return {};
        }),
      60_000,
    );
  }

  test("input 18: a length that is sent twice is refused with the reason, whatever the path", () =>
    tried.trial(async (trial) => {
      const { endpoint } = trial;
      for (const start of [
        "POST /console/session",
        `POST /v2/${endpoint}/run`,
        `POST /v2/${endpoint}/purge-queue`,
        `GET /v2/${endpoint}/health`,
        "GET /healthz",
        "GET /nowhere",
      ]) {
        const connection = new RawConnection(trial.server.url);
        connection.write(`${connection.head(start, length("2"), length("2"))}${BODY}`);
        expect([start, await connection.answers(1)]).toEqual([start, [400]]);
        await connection.closed();
        expect(connection.received).toContain('"code":"INVALID_HEADER"');
      }
      return {};
    }));
});
