import { ForebayError } from "../domain/errors.ts";
import { hostOf, isConfiguredHost } from "../domain/host.ts";
import { hostNotFound, NAMES_HOST } from "./records/needed-record.ts";
import { retireWorker, type Retirement } from "./worker-gone.ts";

/** How often we retire workers that were placed on the host while it was being deleted. */
const TRIALS = 5;

/**
 * Deletes a host without workers. Throws HOST_NOT_FOUND, IN_USE while it has workers, and HOST_CONFIGURED if
 * it comes from the settings of the server.
 */
export async function deleteHost(engine: Retirement, name: string): Promise<void> {
  if (await removeHost(engine, name)) return;
  const { length } = workersOn(engine, name);
  throw new ForebayError(
    "IN_USE",
    `Host ${name} has ${length === 1 ? "1 worker" : `${length} workers`}. Drain it, and delete it when ` +
      "they are gone. If the host will never run again, delete it as lost.",
  );
}

/**
 * Deletes a host as lost for good: the caller says that nothing runs there any more. The jobs of its workers
 * are handed out again, and their GPUs are free. Throws HOST_NOT_FOUND, HOST_CONFIGURED, and IN_USE if it has
 * workers and answers, or if new workers are placed there faster than this retires them.
 */
export async function deleteLostHost(engine: Retirement, name: string): Promise<void> {
  refuseConfigured(name);
  if (engine.configuration.get("host", name) === undefined) throw hostNotFound(name);
  if (workersOn(engine, name).length > 0 && !engine.fleet.awayHosts.has(name)) {
    const advice = "Drain it, and delete it when they are gone.";
    throw new ForebayError("IN_USE", `Host ${name} answers, so its workers may run. ${advice}`);
  }
  for (let trial = 0; trial < TRIALS; trial++) {
    for (const { id, endpoint } of workersOn(engine, name)) {
      await retireWorker(engine, endpoint, id, "hostAway");
    }
    if (await removeHost(engine, name)) return;
  }
  throw new ForebayError(
    "IN_USE",
    `Workers can still start on host ${name}. Drain it, then delete it again.`,
  );
}

/** Answers whether it was removed: not while a worker names it. */
async function removeHost(engine: Retirement, name: string): Promise<boolean> {
  refuseConfigured(name);
  const removal = { step: "remove", kind: "host", id: name, unlessNamedBy: NAMES_HOST } as const;
  const [answer] = await engine.store.apply([removal], engine.clock.now());
  await engine.configuration.refresh();
  if (answer.outcome === "absent") throw hostNotFound(name);
  return answer.outcome === "removed";
}

/** Without this, a deletion would end the drain of a configured host. */
function refuseConfigured(name: string): void {
  if (!isConfiguredHost(name)) return;
  throw new ForebayError(
    "HOST_CONFIGURED",
    `Host ${name} is set in the configuration of the server and cannot be deleted. Drain it instead.`,
  );
}

function workersOn({ configuration }: Retirement, name: string) {
  return configuration.all("worker").filter((token) => hostOf(token) === name);
}
