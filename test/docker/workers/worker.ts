import { appendFileSync, existsSync, readFileSync } from "node:fs";
import * as serverless from "@forebay/worker";

// A worker that runs in a container and does what the input of its job says.
interface Input {
  /** Runs this long, ms. */
  readonly sleep?: number;
  /** Takes memory until there is no more. */
  readonly greedy?: boolean;
  /** Adds its id to this file, and answers what stood there before. */
  readonly visit?: string;
}

const taken: Uint8Array[] = [];

async function handle({ input }: serverless.Job<Input>) {
  const { sleep = 0, greedy = false, visit } = input;
  if (greedy) for (;;) taken.push(new Uint8Array(1_048_576).fill(1));
  await new Promise((resolve) => setTimeout(resolve, sleep));
  const worker = process.env["RUNPOD_POD_ID"] ?? "";
  if (visit === undefined) return { worker, uid: process.getuid?.(), env: process.env };
  const before = existsSync(visit) ? readFileSync(visit, "utf8").trim().split("\n") : [];
  appendFileSync(visit, `${worker}\n`);
  return { worker, before };
}

await serverless.start({ handler: handle });
