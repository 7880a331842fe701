/**
 * A process whose files cannot grow beyond a limit that its parent has set. It stores jobs until the disk
 * fails it, then goes on asking, and prints what was acknowledged before and after.
 */
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { stepsOf } from "../../model/steps.ts";

export interface FullFileReport {
  readonly acknowledged: readonly string[];
  readonly acknowledgedAfterFault: readonly string[];
  readonly faults: number;
}

const ENDPOINT = "e";
const ROUNDS = 100;

async function run(directory: string): Promise<FullFileReport> {
  let faults = 0;
  const acknowledged: string[] = [];
  const acknowledgedAfterFault: string[] = [];
  const store = await openSqliteStore({ directory, onFatal: () => faults++ });
  await store.apply([{ step: "put", record: endpointRecord(ENDPOINT) }], 1);
  const steps = stepsOf(ENDPOINT);

  async function enqueue(id: string, position: number, size: number): Promise<void> {
    await store.apply([steps.enqueue(id, position, { body: new Uint8Array(size) })], 1);
    (faults === 0 ? acknowledged : acknowledgedAfterFault).push(id);
  }
  for (let round = 0; round < ROUNDS; round++) {
    // One commit with a call that needs much room, and one that would find room by itself.
    await Promise.allSettled([
      enqueue(`large-${round}`, round, 60_000),
      enqueue(`small-${round}`, round, 10),
    ]);
  }
  await store.close();
  return { acknowledged, acknowledgedAfterFault, faults };
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: full-file-process <data directory>");
process.stdout.write(JSON.stringify(await run(directory)));
