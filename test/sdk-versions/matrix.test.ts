import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import type { Case } from "./case.ts";
import { CRASHES } from "./crashes.ts";
import { FAULTY_RESULTS } from "./faulty-results.ts";
import { LONG_JOBS } from "./long-jobs.ts";
import { Outcomes } from "./outcomes.ts";
import { killServer } from "./server-kill.ts";
import { SDK_VERSIONS } from "./versions.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(290_000);

let world: World;
const outcomes = new Outcomes();
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  process.stderr.write(`\n${outcomes.table()}\n\n`);
  await world.stop();
});

/** All run at once: they wait most of their time. */
for (const each of [...LONG_JOBS, ...CRASHES, ...FAULTY_RESULTS]) {
  for (const token of each.tokens) {
    const name = `${each.name} (${token})`;
    for (const version of SDK_VERSIONS.filter((one) => isMeant(each, one.version))) {
      test.concurrent(`SDK ${version.version}: ${name}`, () =>
        outcomes.note(name, version.version, () =>
          each.run({ world, version, host: world.host(version), token }),
        ),
      );
    }
  }
}

test.concurrent("the server is killed between commit and reply: every job runs once", () =>
  killServer(world, (name, version) => outcomes.set(name, version, "once")),
);

function isMeant({ versions }: Case, version: string): boolean {
  return versions === undefined || versions.includes(version);
}
