import * as serverless from "@forebay/worker";

// A worker in a container that says what it does, before it does it, to an address in its environment.
interface Input {
  readonly tag: string;
  /** Runs this long, ms. */
  readonly sleep: number;
}

const records = process.env["RECORDS_URL"] ?? "";
const name = crypto.randomUUID();
let reports = 0;

async function handle({ id, input: { tag, sleep } }: serverless.Job<Input>) {
  await record({ did: "got", id, tag });
  await new Promise((resolve) => setTimeout(resolve, sleep));
  const output = { by: `${name}/${reports++}` };
  await record({ did: "report", id, output });
  return output;
}

async function record(entry: Record<string, unknown>): Promise<void> {
  await fetch(records, { method: "POST", headers: { worker: name }, body: JSON.stringify(entry) });
}

await serverless.start({ handler: handle });
