import { expect, test } from "bun:test";
import { z } from "zod";
import { containerMaker } from "../../src/fleet/docker/create-container.ts";
import { type DockerEngine, EngineFault } from "../../src/fleet/docker/docker-engine.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { templateOf } from "../support/template-of.ts";
import { SETTINGS } from "../docker/contract-on.ts";

const BODY = z.object({ HostConfig: z.object({ Ulimits: z.unknown().optional() }) });
const IMAGE = { id: "image", digest: undefined, command: [], pullMs: undefined };

test.each([
  "error during container init: error setting rlimits for ready process: error setting rlimit type 8: " +
    "operation not permitted",
  "setrlimit `RLIMIT_MEMLOCK`: Operation not permitted",
])("an engine that cannot raise the memlock limit starts workers with GPUs without it: %s", async (fault) => {
  const ulimits: unknown[] = [];
  const log = new MemoryLog();
  const maker = containerMaker({
    engine: refusingEngine(fault, ulimits),
    settings: SETTINGS,
    deployment: "d1",
    server: "s1",
    randomBelow: () => 0,
    log,
  });
  const start = (worker: string) =>
    maker(
      {
        worker,
        endpoint: "e1",
        template: templateOf("shell:1"),
        environment: {},
        gpus: [{ uuid: "GPU-1", name: "NVIDIA L40S" }],
      },
      IMAGE,
      new AbortController().signal,
    );

  await Promise.all([start("w1"), start("w2")]);
  await start("w3");

  const unlimited = [{ Name: "memlock", Soft: -1, Hard: -1 }];
  expect(ulimits).toEqual([unlimited, unlimited, undefined, undefined, undefined]);
  expect(log.entries.map(({ message }) => message)).toEqual([
    "the engine cannot raise the memlock limit of workers",
  ]);
});

/** Starts no container that has ulimits. The list gets those of all containers. */
function refusingEngine(fault: string, ulimits: unknown[]): DockerEngine {
  return {
    async call({ method, body }, schema) {
      if (method === "GET") return schema.parse({ MemTotal: 1e9, NCPU: 1 });
      const { HostConfig } = BODY.parse(body);
      ulimits.push(HostConfig.Ulimits);
      return schema.parse({ Id: String(ulimits.length - 1) });
    },
    async send({ path }) {
      const [, id] = /^\/containers\/(\d+)\/start$/.exec(path) ?? [];
      if (id !== undefined && ulimits[Number(id)] !== undefined) throw new EngineFault(fault, 500);
    },
    open: () => Promise.reject(new Error("nothing is streamed")),
  };
}
