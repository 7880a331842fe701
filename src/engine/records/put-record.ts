import { DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { NewAllocation } from "../../store/allocations.ts";
import type { WithSecrets } from "../secret-box.ts";
import type { WithLimits } from "../verb-needs.ts";
import type { RecordAccess } from "./configuration.ts";
import type { RecordBodies } from "./record-bodies.ts";
import { limitReached, recordLimit } from "./record-limits.ts";
import { newlyNeeded } from "./needed-record.ts";

/** What writing a configuration record needs. */
export interface RecordChanges extends RecordAccess, WithSecrets, WithLimits {}

/** Another worker has one of the devices of a new one. Nothing was written. */
export class DeviceTaken extends Error {}

interface Named {
  readonly id: string;
  readonly account?: string;
  readonly name?: string | undefined;
  readonly deletedAt?: number | undefined;
}

/** The names of kinds of records that differ from ours. */
const WORDS: { readonly [Kind in keyof RecordBodies]?: string } = { registryLogin: "registry login" };

/**
 * Writes a configuration record as the next version of the one that this server knows, so that no change of
 * another call is overwritten. Throws NAME_TAKEN, CHANGED_MEANWHILE, and LIMIT_REACHED if the account has as
 * many as it may have. If a newly named record does not exist, throws TEMPLATE_NOT_FOUND for an endpoint and
 * INVALID_FIELD for a template. With an allocation, throws DeviceTaken.
 */
export async function putRecord<Kind extends keyof RecordBodies>(
  engine: RecordChanges,
  kind: Kind,
  body: RecordBodies[Kind] & Named,
  allocation?: NewAllocation,
): Promise<void> {
  const record = {
    kind,
    id: body.id,
    // Accounts belong to the first account, so that no two accounts have the same name.
    account: body.account ?? DEFAULT_ACCOUNT.id,
    // A record that is being deleted frees its name.
    name: body.deletedAt === undefined ? (body.name ?? null) : null,
    version: engine.configuration.version(kind, body.id) + 1,
    body: JSON.stringify(body),
  };
  const needed = newlyNeeded(kind, body, engine.configuration.get(kind, body.id));
  // `workersMax` limits the workers that Forebay starts.
  const limit = "managed" in body && body.managed ? undefined : recordLimit(engine, kind);
  // The secrets in the record were encrypted a moment ago.
  const [answer] = await engine.secrets.storing(() =>
    engine.store.apply(
      [{ step: "put", record, needs: needed?.place, limit, allocation }],
      engine.clock.now(),
    ),
  );
  await engine.configuration.refresh();
  switch (answer.outcome) {
    case "written":
      return;
    case "nameTaken":
      throw new ForebayError(
        "NAME_TAKEN",
        `Another ${WORDS[kind] ?? kind} is already named ${body.name}. Choose another name.`,
      );
    case "needMissing":
      throw needed?.missing(needed.place.id) ?? new Error(`nothing is needed by the ${kind} ${body.id}`);
    case "tooMany":
    case "tooLarge":
      throw limitReached(engine, kind, record.account, answer.outcome);
    case "deviceTaken":
      throw new DeviceTaken(`a device of the ${kind} ${body.id} is taken`);
    case "versionConflict":
      throw changedMeanwhile(kind, body.id);
  }
}

/** The error for a change of a record that another call has changed first. */
export function changedMeanwhile(kind: keyof RecordBodies, id: string): ForebayError {
  return new ForebayError(
    "CHANGED_MEANWHILE",
    `The ${kind} ${id} was just changed. Read it again, then repeat the change.`,
  );
}
