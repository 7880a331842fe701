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
    return [fault(PART, "the address of the server is none", "Say one like http://127.0.0.1:8000.")];
  }
  // Without the user and password of the address.
  const { origin } = url;
  const running = await forebayVersion(origin);
  if (running === undefined) {
    return [fault(PART, `no Forebay answers at ${origin}`, "Start it, or say where it is: --server.")];
  }
  const found = [
    running === version
      ? ok(PART, `${origin} is Forebay ${version}, as this program`)
      : warn(PART, `${origin} is Forebay ${running}, and this program ${version}`, "Use the same for both."),
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
  const mend = "It is stopping, or its database is away: its log says which.";
  return fault(PART, `it is not ready (${status})`, mend);
}

async function clock(origin: string): Promise<Finding> {
  const asked = thisMachine.wall();
  const told = await readAnswer(`${origin}/healthz`, HEALTHZ);
  const answered = thisMachine.wall();
  if (told === undefined) {
    return warn(PART, "it does not tell its time", "Give it the version of this program.");
  }
  const mend = "Let NTP set both clocks. Deadlines hold all the same; times in answers are off.";
  return compareClocks({ part: PART, asked, time: Date.parse(told.time), answered, mend });
}

async function knows(origin: string, key: string): Promise<Finding> {
  const status = await statusOf(`${origin}/v1/endpoints`, { authorization: `Bearer ${key}` });
  if (status === 200) return ok(PART, "it knows the key, which may manage endpoints");
  if (status === 401) {
    return warn(
      PART,
      "it does not know the key, or the key may not manage endpoints",
      "Say another one: --key.",
    );
  }
  return fault(PART, `it answers ${status} to the list of endpoints`, "Its log says why.");
}
