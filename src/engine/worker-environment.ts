import type { NewWorkerToken } from "./records/worker-tokens.ts";

/**
 * The environment that connects a worker to its endpoint: the variables of the public worker SDKs (wire-facts
 * 1.1) and those of Forebay. The SDK fills in the templates in the addresses.
 */
export function workerEnvironment(
  { record, token }: NewWorkerToken,
  publicUrl: string,
  pingInterval: number,
): Record<string, string> {
  const base = `${publicUrl}/v2/${record.endpoint}`;
  // `$ID` is the worker in the first address and the job in the others. Each address must already have a
  // query.
  const worker = "$RUNPOD_POD_ID";
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?gpu=x`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/${worker}/$ID?gpu=x`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/${worker}/$ID?gpu=x`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/${worker}?gpu=x`,
    RUNPOD_PING_INTERVAL: String(pingInterval),
    RUNPOD_AI_API_KEY: token,
    RUNPOD_ENDPOINT_ID: record.endpoint,
    // The network check of the SDK needs a public address. A worker on the host of its server has none.
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    FOREBAY_EXCHANGE_URL: `${base}/exchange/${record.many ? "$ID" : record.id}`,
    FOREBAY_WORKER_TOKEN: token,
    // Workers that share a token each choose an id of their own.
    ...(record.many ? {} : { RUNPOD_POD_ID: record.id }),
  };
}
