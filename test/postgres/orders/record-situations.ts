import { emptyFigures } from "../../../src/domain/figures.ts";
import type { NewAllocation } from "../../../src/store/allocations.ts";
import type { ConfigurationRecord, RecordKind } from "../../../src/store/configuration-record.ts";
import { START } from "../../contract/queue.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { cancel, enqueue, forget, purge, putEndpoint, removeEndpoint, retry, take } from "./moves.ts";
import type { Move, Place, Situation } from "./situation.ts";

const JOB = "job";
const WIDTH = 10_000;

function recordOf(
  kind: RecordKind,
  id: string,
  given: Partial<ConfigurationRecord> = {},
): ConfigurationRecord {
  return { kind, id, account: "account-1", name: null, version: 1, body: "{}", ...given };
}

const templateOf = ({ endpoint }: Place) => `${endpoint}-template`;

const putNamesake: Move = {
  name: "put of a name",
  step: ({ endpoint }, side) => ({
    step: "put",
    record: recordOf("registryLogin", `${endpoint}-${side}`, { name: "same" }),
  }),
};

/** There is one already. */
const putUnderLimit = (name: string | null): Move => ({
  name: `put of ${name === null ? "a nameless key" : "a named key"} under a limit`,
  step: ({ endpoint }, side) => ({
    step: "put",
    record: recordOf("key", `${endpoint}-${side}`, { name: name === null ? null : `${name} of the ${side}` }),
    limit: { records: 2, bytes: 6 },
  }),
});

const putWithTemplate: Move = {
  name: "put that needs a template",
  step: (place) => ({
    step: "put",
    record: { ...endpointRecord(place.endpoint, 2), body: `{"templateId":"${templateOf(place)}"}` },
    needs: { kind: "template", id: templateOf(place) },
  }),
};

const removeTemplate: Move = {
  name: "removal of the template",
  step: (place) => ({
    step: "remove",
    kind: "template",
    id: templateOf(place),
    unlessNamedBy: { kind: "endpoint", member: "templateId" },
  }),
};

/** The card has two slices, and the worker that is there has the first one. */
const putWorkerWith = (device: "card" | "slice-1" | "slice-2"): Move => ({
  name: `put of a worker that gets ${device}`,
  step: ({ endpoint }, side) => ({
    step: "put",
    record: recordOf("worker", `${endpoint}-${side}`),
    allocation: allocationOf(endpoint, device),
  }),
});

const removeWorker: Move = {
  name: "removal of the worker",
  step: ({ endpoint }) => ({ step: "remove", kind: "worker", id: `${endpoint}-worker` }),
};

const removePastWorker: Move = {
  name: "removal of the worker, which stays as a past one",
  step: ({ endpoint }) => {
    const past = { endpoint, host: "host", gpus: [], startedAt: START };
    return { step: "remove", kind: "worker", id: `${endpoint}-worker`, past };
  },
};

const forgetPastWorkers: Move = {
  name: "forget past workers",
  skips: true,
  step: () => ({ step: "forget", limit: 100, contactsBefore: 0, pastWorkersBefore: START * 2 }),
};

function allocationOf(endpoint: string, device: string): NewAllocation {
  return { host: "host", devices: [{ device: `${endpoint}-${device}`, card: `${endpoint}-card` }] };
}

const addStatistics: Move = {
  name: "statistics",
  step: ({ endpoint }, side) => {
    const figures = emptyFigures();
    figures.counts.submitted = 3;
    return { step: "addStatistics", server: side, slots: [{ endpoint, width: WIDTH, at: START, figures }] };
  },
};

const forgetStatistics: Move = {
  name: "forget statistics",
  skips: true,
  step: () => ({ step: "forgetStatistics", width: WIDTH, before: START, limit: 100 }),
};

export const RECORD_SITUATIONS: readonly Situation[] = [
  {
    name: "records",
    before: (place) => [
      [{ step: "put", record: recordOf("template", templateOf(place)) }],
      [{ step: "put", record: recordOf("key", `${place.endpoint}-key`) }],
    ],
    moves: [
      putEndpoint(2),
      putNamesake,
      putUnderLimit(null),
      putUnderLimit("key"),
      putWithTemplate,
      removeTemplate,
      removeEndpoint,
      enqueue,
    ],
  },
  {
    name: "a worker with a slice of a card",
    before: ({ endpoint }) => {
      const record = recordOf("worker", `${endpoint}-worker`);
      return [[{ step: "put", record, allocation: allocationOf(endpoint, "slice-1") }]];
    },
    moves: [putWorkerWith("card"), putWorkerWith("slice-1"), putWorkerWith("slice-2"), removeWorker],
  },
  {
    name: "an endpoint without jobs",
    before: ({ endpoint }) => {
      const slot = { endpoint, width: WIDTH, at: START - WIDTH, figures: emptyFigures() } as const;
      return [[{ step: "addStatistics", server: "first", slots: [slot] }]];
    },
    moves: [removeEndpoint, enqueue, addStatistics, forgetStatistics, putEndpoint(1), putEndpoint(2)],
  },
  {
    name: "an endpoint with a worker",
    before: ({ endpoint }) => [[{ step: "put", record: recordOf("worker", `${endpoint}-worker`) }]],
    moves: [removeEndpoint, removePastWorker, removeWorker, enqueue, forgetPastWorkers],
  },
  {
    name: "an endpoint with a timed out job",
    before: ({ steps }) => [[steps.enqueue(JOB, 1), steps.finish("timeOut", JOB, { retention: 60_000 })]],
    moves: [removeEndpoint, retry(JOB), enqueue, take("w1"), cancel(JOB), purge, forget],
  },
];
