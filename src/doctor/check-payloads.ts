import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { hasServed } from "../data/data-directory.ts";
import type { Damage } from "../store/find-damage.ts";
import {
  findPostgresDamage,
  findSqliteDamage,
  inspectPostgres,
  inspectSqlite,
} from "../store/offline-store.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "payloads";

/** Further ones are counted, but not listed. */
const LISTED = 100;

/** Checks the pages of the database and every stored payload against their checksums. */
export async function* checkPayloads({ data, databaseUrl }: Config): AsyncGenerator<Finding> {
  try {
    if (databaseUrl !== "") yield* checkPostgres(databaseUrl);
    else if (data !== IN_MEMORY) yield* checkSqlite(resolve(data));
  } catch (error) {
    yield fault(PART, `the check stopped: ${sentenceOf(error)}`, "Fix that, and run the command again.");
  }
}

async function* checkSqlite(directory: string): AsyncGenerator<Finding> {
  const found = await unlessRefused(async () => inspectSqlite(directory, await hasServed(directory)));
  if (found === undefined) return;
  if (found.wasKilled) {
    const said = "they were not checked: the last server was killed, and its log must be read first";
    yield warn(PART, said, "Start the server, and run the command again while it runs.");
    return;
  }
  // A running server has already migrated the data to its schema.
  if (found.isInUse || found.schema === found.knownSchema) {
    yield* reported(findSqliteDamage(directory, found.isInUse));
  }
}

async function* checkPostgres(url: string): AsyncGenerator<Finding> {
  const found = await unlessRefused(() => inspectPostgres(url));
  if (found?.schema === undefined) return;
  const { schema, knownSchema } = found;
  if (schema.migrations >= knownSchema && schema.serves <= knownSchema) {
    yield* reported(findPostgresDamage(url));
  }
}

/** `checkStore` has already reported it. */
async function unlessRefused<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}

async function* reported(damage: AsyncIterable<Damage>): AsyncGenerator<Finding> {
  let count = 0;
  for await (const each of damage) {
    count++;
    if (count <= LISTED) yield findingOf(each);
  }
  if (count > LISTED) {
    yield fault(PART, `${count - LISTED} more are damaged`, "Check the disk, and restore a backup.");
  }
  if (count === 0) yield ok(PART, "all are intact");
}

function findingOf({ of, where }: Damage): Finding {
  if (of === undefined) {
    const mend = "Check the disk. Stop the server, and restore a backup of the data directory.";
    return fault(PART, where, mend);
  }
  const { endpoint, job, what } = of;
  const mend =
    what.startsWith("the input") || what.startsWith("the s3Config")
      ? "Restore it from a backup, or submit the job again. Otherwise the job fails when a worker takes it."
      : "Restore it from a backup, or run the job again.";
  return fault(PART, `${what} of job ${job} (endpoint ${endpoint}): ${where}`, mend);
}
