import * as serverless from "@forebay/worker";

// Wants to be replaced after each job.
await serverless.start({ handler: () => ({ pid: process.pid, refresh_worker: true }) });
