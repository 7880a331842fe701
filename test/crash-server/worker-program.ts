// A worker with the worker library, in the protocol that its environment names.
import * as serverless from "@forebay/worker";
import type { JobInput } from "./job-input.ts";
import { RecordedWork } from "./recorded-work.ts";

const work = new RecordedWork();

await serverless.start({
  handler: (job: serverless.Job<JobInput>, { signal }) => work.run(job, signal),
  concurrency: 3,
});
