import { bytes } from "../../model/bytes.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { SEALED } from "../../contract/webhook-steps.ts";
import { type Move, NOW, type Place, type Side } from "./situation.ts";

/** Ids and positions of what the two servers add. */
const newId = (side: Side) => `new of the ${side}`;
const positionOf = (side: Side) => (side === "first" ? 11 : 12);

const one = bytes('"result"');

export const enqueue: Move = {
  name: "enqueue",
  step: ({ steps }, side) => steps.enqueue(newId(side), positionOf(side)),
};

/** One job more than waits has room. */
export const enqueueCapped: Move = {
  name: "enqueue under a cap",
  step: ({ steps }, side) =>
    steps.enqueue(newId(side), positionOf(side), { cap: { jobs: 2, bytes: undefined } }),
};

export const enqueueKeyed = (key: string): Move => ({
  name: `enqueue with the key "${key}"`,
  step: ({ steps }, side) =>
    steps.enqueue(newId(side), positionOf(side), {
      idempotency: { key, digest: bytes(`digest of the ${side}`), until: NOW + 60_000 },
    }),
});

export const take = (worker: string): Move => ({
  name: `take by ${worker}`,
  skips: true,
  neverWaits: true,
  step: ({ steps }) => steps.take(worker),
});

export const complete = (id: string, worker: string, attempt: number): Move => ({
  name: `result of attempt ${attempt} by ${worker}`,
  isCached: true,
  step: ({ steps }, side) =>
    steps.finish("complete", id, { worker, attempt, output: bytes(`"result at the ${side}"`) }),
});

export const completeUnnumbered = (id: string, worker: string): Move => ({
  name: `result by ${worker}`,
  step: ({ steps }) => steps.finish("complete", id, { worker, output: one }),
});

export const completeLate = (id: string, worker: string): Move => ({
  name: `late result by ${worker}`,
  step: ({ steps }) => steps.finish("complete", id, { worker, output: bytes('"late"'), mayBeLate: true }),
});

export const fail = (id: string, worker: string, attempt: number): Move => ({
  name: `error of attempt ${attempt} by ${worker}`,
  isCached: true,
  step: ({ steps }) =>
    steps.finish("fail", id, { worker, attempt, error: bytes('"error"'), beside: '{"reported":1}' }),
});

export const timeOut = (id: string): Move => ({
  name: "timeout",
  step: ({ steps }) => steps.finish("timeOut", id),
});

export const giveBack = (id: string, attempt: number): Move => ({
  name: `give back attempt ${attempt}`,
  step: ({ steps }) => steps.giveBack(id, attempt, { losses: attempt }),
});

export const append = (id: string, worker: string, attempt: number): Move => ({
  name: "append",
  step: ({ steps }, side) => steps.append(id, worker, [bytes(`chunk of the ${side}`)], attempt),
});

export const appendTooMuch = (id: string, worker: string, attempt: number): Move => ({
  name: "append under a limit",
  step: ({ steps }) => {
    const otherwise = steps.finish("cutOff", id, { worker, attempt, error: bytes('"too much"') });
    return steps.append(id, worker, [bytes("0123456789")], attempt, { bytes: 20, otherwise });
  },
});

export const progress = (id: string, worker: string, attempt: number): Move => ({
  name: "progress",
  step: ({ steps }, side) => steps.progress(id, worker, bytes(`"progress at the ${side}"`), attempt),
});

export const pingWithAll = (worker: string): Move => ({
  name: `ping of ${worker} with its job`,
  step: ({ steps }) => steps.seen(worker, { kind: "all" }, NOW, { call: "ping" }),
});

export const pingWithNone = (worker: string): Move => ({
  name: `ping of ${worker} without a job`,
  step: ({ steps }) => steps.seen(worker, { kind: "none" }, NOW, { call: "ping" }),
});

export const hangUp = (worker: string): Move => ({
  name: `hang-up of ${worker}`,
  step: ({ steps }) => steps.seen(worker, { kind: "nothing" }, 0, { call: "hangUp" }),
});

export const cancel = (id: string): Move => ({ name: "cancel", step: ({ steps }) => steps.cancel(id) });

export const retry = (id: string): Move => ({
  name: "retry",
  step: ({ steps }, side) => steps.retry(id, positionOf(side)),
});

/** At a server that has not yet come to the end of the retention. */
export const retryInTime = (id: string): Move => ({
  name: "retry in time",
  time: NOW - 1,
  step: ({ steps }, side) => steps.retry(id, positionOf(side)),
});

export const retryCapped = (id: string): Move => ({
  name: "retry under a cap",
  step: ({ steps }, side) => ({ ...steps.retry(id, positionOf(side)), cap: { jobs: 1, bytes: undefined } }),
});

export const setTtlNow = (id: string): Move => ({
  name: "ttl ends now",
  step: ({ steps }) => steps.setTtl(id, NOW),
});

export const setTtlLater = (id: string): Move => ({
  name: "ttl ends later",
  step: ({ steps }) => steps.setTtl(id, NOW + 5_000),
});

export const drain = (id: string): Move => ({ name: "drain", step: ({ steps }) => steps.drain(id) });

export const noteColdStart = (id: string, attempt: number): Move => ({
  name: "cold start",
  step: ({ steps }, side) => steps.noteColdStart(id, attempt, NOW - positionOf(side)),
});

export const purge: Move = { name: "purge", step: ({ steps }) => steps.purge() };

export const forget: Move = {
  name: "forget",
  skips: true,
  step: () => ({ step: "forget", limit: 100, contactsBefore: 0, pastWorkersBefore: 0 }),
};

export const resealSecret = (id: string): Move => ({
  name: "reseal of the secret",
  step: ({ endpoint, stored }, side) => {
    const sealed = stored ?? bytes("sealed secret");
    const place = { of: "secret", endpoint, id, job: id } as const;
    return { step: "reseal", values: [{ ...place, sealed, by: bytes(`secret of the ${side}`) }] };
  },
});

export const resealWebhook = (id: string): Move => ({
  name: "reseal of the webhook",
  step: ({ endpoint }, side) => {
    const place = { of: "webhook", endpoint, id, job: id } as const;
    return { step: "reseal", values: [{ ...place, sealed: SEALED, by: bytes(`address of the ${side}`) }] };
  },
});

export const putEndpoint = (version: number): Move => ({
  name: `put of version ${version}`,
  step: ({ endpoint }, side) => ({
    step: "put",
    record: { ...endpointRecord(endpoint, version), body: `{"by":"${side}"}` },
  }),
});

export const removeEndpoint: Move = {
  name: "removal of the endpoint",
  locksEndpoint: true,
  step: ({ endpoint }: Place) => ({ step: "remove", kind: "endpoint", id: endpoint }),
};
