import type { NewWorkerToken } from "./records/worker-tokens.ts";

/**
 * The environment with which a worker finds its endpoint: the variables of the public worker SDKs (wire-facts
 * 1.1), whose addresses are templates that the SDK fills in, and the one of Forebay's own.
 */
export function workerEnvironment(
  { record, token }: NewWorkerToken,
  publicUrl: string,
  pingInterval: number,
): Record<string, string> {
  const base = `${publicUrl}/v2/${record.endpoint}`;
  // `$ID` is the worker in the first address and the job in the others; each address must have a query
  // already.
  const worker = "$RUNPOD_POD_ID";
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?gpu=x`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/${worker}/$ID?gpu=x`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/${worker}/$ID?gpu=x`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/${worker}?gpu=x`,
    RUNPOD_PING_INTERVAL: String(pingInterval),
    RUNPOD_AI_API_KEY: token,
    RUNPOD_ENDPOINT_ID: record.endpoint,
    // Its network check wants a public address; a worker beside its own server does not need one.
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    FOREBAY_EXCHANGE_URL: `${base}/exchange/${record.many ? "$ID" : record.id}`,
    FOREBAY_WORKER_TOKEN: token,
    // Workers that share a token each choose an id of their own.
    ...(record.many ? {} : { RUNPOD_POD_ID: record.id }),
  };
}
