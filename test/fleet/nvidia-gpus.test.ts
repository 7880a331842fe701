import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NvidiaGpus } from "../../src/fleet/gpu/nvidia-gpus.ts";
import { ownNvidiaSmi } from "../../src/fleet/gpu/run-nvidia-smi.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { killIfThere } from "../support/processes.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

const CARD = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";
const SLICE = "MIG-a686709d-6dc2-542a-8851-0d2508448c10";

describe("the GPUs of this machine", () => {
  test("come from the rows of the program, and slices from its list", async () => {
    await using directory = await temporaryDirectory();
    const program = scriptIn(
      directory.path,
      `if [ "$1" = -L ]; then
  echo 'GPU 0: NVIDIA A100-SXM4-40GB (UUID: ${CARD})'
  echo '  MIG 3g.20gb     Device  0: (UUID: ${SLICE})'
elif [ "$1" = --query-gpu=index,uuid,name,memory.total,mig.mode.current,utilization.gpu,memory.used ] &&
  [ "$2" = --format=csv,noheader,nounits ]; then
  echo '0, ${CARD}, NVIDIA A100-SXM4-40GB, 40960, Enabled, [N/A], 25'
fi`,
    );
    expect(await new NvidiaGpus(ownNvidiaSmi(systemClock(), program)).read()).toEqual({
      devices: [
        {
          uuid: SLICE,
          card: CARD,
          index: 0,
          name: "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
          memoryMb: 20_480,
          kind: "slice",
        },
      ],
      outOfUse: [],
      fault: undefined,
    });
  });

  test("without the program there are none, and a program that cannot be started is a fault", async () => {
    await using directory = await temporaryDirectory();
    const absent = new NvidiaGpus(ownNvidiaSmi(systemClock(), join(directory.path, "nvidia-smi")));
    const none = { devices: [], outOfUse: [], fault: undefined };
    expect([await absent.read(), await absent.read()]).toEqual([none, none]);
    const program = scriptIn(directory.path, "exit 0");
    chmodSync(program, 0o600);
    const { fault } = await new NvidiaGpus(ownNvidiaSmi(systemClock(), program)).read();
    expect(fault).toBe("nvidia-smi could not be started: EACCES.");
  });

  test("a card that fails is out of use with the reason, and is used again when it is back", async () => {
    await using directory = await temporaryDirectory();
    const row = `0, ${CARD}, NVIDIA L40S, 46068, [N/A]`;
    const gpus = new NvidiaGpus(ownNvidiaSmi(systemClock(), scriptIn(directory.path, `echo '${row}'`)));
    const before = await gpus.read();
    expect(before.devices.map(({ uuid }) => uuid)).toEqual([CARD]);
    const lost = "Unable to determine the device handle for GPU0: 0000:01:00.0: GPU is lost.";
    scriptIn(directory.path, `echo '${lost}' >&2; echo 'No devices were found'; exit 6`);
    const reason = "The driver cannot reach the GPU at 0000:01:00.0: GPU is lost.";
    const meanwhile = await gpus.read();
    expect(meanwhile).toEqual({
      devices: [],
      outOfUse: [{ uuid: CARD, index: 0, reason }],
      fault: undefined,
    });
    scriptIn(directory.path, `echo '${row}'`);
    expect(await gpus.read()).toEqual(before);
  });

  test("a driver that refuses to say how busy its cards are is asked without that from then on", async () => {
    await using directory = await temporaryDirectory();
    const runs = join(directory.path, "runs");
    const program = scriptIn(
      directory.path,
      `echo "$1" >>'${runs}'
case "$1" in
  *memory.used*) echo 'Field "utilization.gpu" is not a valid field to query.'; exit 2;;
  *) echo '0, ${CARD}, NVIDIA L40S, 46068, [N/A]';;
esac`,
    );
    const gpus = new NvidiaGpus(ownNvidiaSmi(systemClock(), program));
    const read = await gpus.read();
    expect(read).toMatchObject({ devices: [{ uuid: CARD }], fault: undefined });
    expect(await gpus.read()).toEqual(read);
    const fields = readFileSync(runs, "utf8").trim().split("\n");
    expect(fields.map((line) => line.includes("memory.used"))).toEqual([true, false, false]);
  });

  test("a program that hangs is a fault, and is not started again while a part of it is there", async () => {
    await using directory = await temporaryDirectory();
    const runs = join(directory.path, "runs");
    const program = scriptIn(directory.path, `sleep 1000 & echo $! >>'${runs}'; wait`);
    const clock = new ManualClock();
    const gpus = new NvidiaGpus(ownNvidiaSmi(clock, program));
    const reading = gpus.read();
    await until("it runs", () => existsSync(runs) && readFileSync(runs, "utf8").endsWith("\n"));
    await clock.advance(10_000);
    expect((await reading).fault).toBe("nvidia-smi did not answer within 10 s.");
    expect((await gpus.read()).fault).toBe("nvidia-smi hangs: an earlier run of it has not ended.");
    const [sleeping, ...others] = readFileSync(runs, "utf8").trim().split("\n");
    expect(others).toEqual([]);
    scriptIn(directory.path, `echo '0, ${CARD}, NVIDIA L40S, 46068, [N/A]'`);
    killIfThere(Number(sleeping));
    await until("it is read again", async () => (await gpus.read()).devices.length === 1);
  });
});

/** Writes a program that prints what a driver would. */
function scriptIn(directory: string, body: string): string {
  const path = join(directory, "nvidia-smi");
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}
