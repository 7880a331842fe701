import { describe, expect, test } from "bun:test";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { CARD_NAME, cardRow, cardUuid, ScriptedDriver } from "../support/scripted-driver.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

/** A card that fails gets no new workers after this time, ms. */
const PROMISE = 60_000;

/** For both changes of the driver, and the start of a server on a busy machine, ms. */
const LIMIT = 2 * PROMISE + 90_000;

/** Scripts of a driver whose second card, or which itself, no longer works; and what the job is told. */
const BROKEN: readonly (readonly [what: string, script: string, reason: string])[] = [
  [
    "a program that hangs",
    "exec sleep 1000",
    "local cannot list its GPUs (nvidia-smi did not answer within 10 s).",
  ],
  [
    "a row with ERR!",
    `echo '${cardRow(0)}'; echo '1, ${cardUuid(1)}, ${CARD_NAME}, ERR!, [N/A]'`,
    `local has 0 of 1 ${CARD_NAME} free (GPU 1 is out of use: nvidia-smi shows ERR! for the GPU).`,
  ],
  [
    "MIG without slices",
    `if [ "$1" = -L ]; then
  echo 'GPU 0: ${CARD_NAME} (UUID: ${cardUuid(0)})'; echo 'GPU 1: ${CARD_NAME} (UUID: ${cardUuid(1)})'
else echo '${cardRow(0)}'; echo '1, ${cardUuid(1)}, ${CARD_NAME}, 46068, Enabled'; fi`,
    `local has 0 of 1 ${CARD_NAME} free (GPU 1 is out of use: MIG is enabled and the card has no slices.`,
  ],
  [
    "a card that is no longer listed",
    `echo '${cardRow(0)}'`,
    `local has 0 of 1 ${CARD_NAME} free (GPU 1 is out of use: The driver no longer lists the GPU).`,
  ],
  [
    "a card that the driver cannot reach",
    `echo '${cardRow(0)}'
echo 'Unable to determine the device handle for GPU1: 0000:02:00.0: GPU is lost.' >&2; exit 6`,
    `(GPU 1 is out of use: The driver cannot reach the GPU at 0000:02:00.0: GPU is lost).`,
  ],
];

describe("a driver that breaks while the server runs", () => {
  test.concurrent.each(BROKEN)(
    "%s: within a minute no worker gets the card, the job says why, and others run on",
    async (_, script, reason) => {
      using driver = new ScriptedDriver(2);
      const server = await ServerProcess.start({
        env: driver.env,
        commands: { wait: ["sleep", "1000"] },
        flags: { "drain-grace-ms": "500" },
      });
      try {
        const endpoints = [];
        for (let count = 0; count < 2; count++) {
          endpoints.push(await server.commandEndpoint("wait", { gpuCount: 1, workersMax: 1 }));
        }
        const [first = "", second = ""] = endpoints;
        await server.run(first);
        const running = await workersOf(server, 1);

        driver.runs(script);
        await until("the server notes it", () => server.logged("GPUs get no new workers")[0], PROMISE);
        const job = await server.run(second);
        await until("it waits", async () => (await endpointFleet(server, second)).state === "NO_ROOM");
        const { json } = await server.get(`/v1/endpoints/${second}/jobs/${job}`);
        expect(json.reason).toMatchObject({ code: "NO_ROOM" });
        expect(json.reason.message).toContain(reason);
        expect(await workersOf(server, 1)).toEqual(running);

        driver.prints(cardRow(0), cardRow(1));
        await workersOf(server, 2);
      } finally {
        await server.stop();
      }
    },
    LIMIT,
  );
});

/** The processes of the workers when there are so many. */
function workersOf(server: ServerProcess, count: number, limit = PROMISE): Promise<number[]> {
  const look = (): number[] | false => {
    const processes = server.workerProcesses();
    return processes.length === count && processes;
  };
  return until(`${count} workers run`, look, limit);
}
