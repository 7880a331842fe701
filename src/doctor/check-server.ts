import { z } from "zod";
import { version } from "../../package.json" with { type: "json" };
import { thisMachine } from "../host/system-clock.ts";
import { checkNames, checkWorkers } from "./check-endpoints.ts";
import { compareClocks } from "./check-clock.ts";
import { fault, type Finding, ok, warn } from "./finding.ts";
import { forebayVersion, readAnswer, statusOf } from "./ask-server.ts";

const PART = "server";

const HEALTHZ = z.looseObject({ time: z.iso.datetime() });

export interface ServerAddress {
  readonly server: string;
  /** Empty: only what needs no key is checked. */
  readonly key: string;
}

/** Checks a running server: whether it takes calls, its version, its clock, and whether it knows the key. */
export async function checkServer({ server, key }: ServerAddress): Promise<Finding[]> {
  const url = URL.parse(server);
  if (url === null) {
    return [fault(PART, "the address of the server is invalid", "Use one like http://127.0.0.1:8000.")];
  }
  // Without the user and password of the address.
  const { origin } = url;
  const running = await forebayVersion(origin);
  if (running === undefined) {
    return [
      fault(PART, `no Forebay server answers at ${origin}`, "Start it, or give its address with --server."),
    ];
  }
  const found = [
    running === version
      ? ok(PART, `${origin} and this program are both Forebay ${version}`)
      : warn(
          PART,
          `${origin} is Forebay ${running}, and this program is ${version}`,
          "Use the same version for both.",
        ),
    await ready(origin),
    await clock(origin),
  ];
  if (key === "") return found;
  return [
    ...found,
    await knows(origin, key),
    ...(await checkNames(origin, key)),
    ...(await checkWorkers(origin, key)),
  ];
}

async function ready(origin: string): Promise<Finding> {
  const status = await statusOf(`${origin}/readyz`, {});
  if (status === 200) return ok(PART, "it is ready");
  const mend = "It is stopping, or its database does not answer. Its log shows the cause.";
  return fault(PART, `it is not ready (${status})`, mend);
}

async function clock(origin: string): Promise<Finding> {
  const asked = thisMachine.wall();
  const told = await readAnswer(`${origin}/healthz`, HEALTHZ);
  const answered = thisMachine.wall();
  if (told === undefined) {
    return warn(PART, "its answer has no time", "Upgrade it to the version of this program.");
  }
  const mend = "Set both clocks with NTP. Deadlines are correct, but times in answers are wrong.";
  return compareClocks({ part: PART, asked, time: Date.parse(told.time), answered, mend });
}

async function knows(origin: string, key: string): Promise<Finding> {
  const status = await statusOf(`${origin}/v1/endpoints`, { authorization: `Bearer ${key}` });
  if (status === 200) return ok(PART, "the key is valid and can manage endpoints");
  if (status === 401) {
    return warn(PART, "the key is unknown, or cannot manage endpoints", "Use another key with --key.");
  }
  return fault(PART, `it answers ${status} to the list of endpoints`, "Its log shows the cause.");
}
