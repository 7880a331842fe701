import { expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { LIMITED_RECORDS } from "../../src/domain/account-limits.ts";
import { ATTEMPT_OUTCOMES, OVERTAKEN } from "../../src/domain/attempt.ts";
import { DELIVERY_STATES } from "../../src/domain/delivery.ts";
import { ENDPOINT_DEFAULTS, SCALER_TYPES } from "../../src/domain/endpoint.ts";
import { FLEET_STATES } from "../../src/domain/fleet-report.ts";
import { FINE, newMeters, requestMeter } from "../../src/domain/meters.ts";
import { COMPUTE_TYPES } from "../../src/domain/placement.ts";
import { RELEASE_STATES } from "../../src/domain/release.ts";
import { TEMPLATE_CATEGORIES, TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { JOB_STATES } from "../../src/domain/transitions.ts";
import { WAIT_CODES } from "../../src/domain/wait-reason.ts";
import { WORKER_STATES } from "../../src/domain/worker.ts";
import { SPECIFIED_DEFAULTS } from "../http/spec/template-record.ts";
import { NO_DISK, NO_VITALS } from "../support/no-vitals.ts";

test("4.B: a template has the defaults of the specification", () => {
  expect(TEMPLATE_DEFAULTS).toEqual(SPECIFIED_DEFAULTS);
});

test("4.B: so has an endpoint, and what is optional is undefined", () => {
  const { releaseSurge, ...others } = ENDPOINT_DEFAULTS;
  expect(releaseSurge).toBe(1);
  expect(JSON.parse(JSON.stringify(others))).toEqual({
    computeType: "GPU",
    dataCenterIds: [],
    cpuFlavorIds: [],
    instanceIds: [],
    allowedCudaVersions: [],
    minCudaVersion: "",
    flashboot: false,
    gpuTypeIds: [],
    workersMin: 0,
    workersMax: 3,
    idleTimeout: 5,
    scalerType: "QUEUE_DELAY",
    scalerValue: 4,
    isPaused: false,
    historyInputs: "failed",
  });
});

test("the words of the API are those that clients compare with", () => {
  const words = {
    jobs: JOB_STATES,
    attempts: ATTEMPT_OUTCOMES,
    deliveries: DELIVERY_STATES,
    fleets: FLEET_STATES,
    releases: RELEASE_STATES,
    workers: WORKER_STATES,
    waits: WAIT_CODES,
    scalers: SCALER_TYPES,
    categories: TEMPLATE_CATEGORIES,
    computeTypes: COMPUTE_TYPES,
    limited: LIMITED_RECORDS,
  };
  expect(Object.entries(words).map(([name, list]) => `${name}: ${list.join(" ")}`)).toEqual([
    "jobs: IN_QUEUE IN_PROGRESS COMPLETED FAILED CANCELLED TIMED_OUT",
    "attempts: RUNNING COMPLETED FAILED TIMED_OUT CANCELLED LOST UNDELIVERED RETURNED",
    "deliveries: PENDING DELIVERED FAILED",
    "fleets: IDLE RUNNING STARTING AT_MAXIMUM NO_ROOM UNHEALTHY CRASH_LOOP PAUSED",
    "releases: ROLLING PAUSED COMPLETE STOPPED REPLACED",
    "workers: INITIALIZING IDLE RUNNING OUTDATED DRAINING UNHEALTHY",
    "waits: NEXT WORKERS_BUSY SCALING_DELAY AT_MAXIMUM NO_ROOM STARTING_WORKERS NO_WORKERS CRASH_LOOP " +
      "RELEASE BARRED PAUSED",
    "scalers: QUEUE_DELAY REQUEST_COUNT",
    "categories: NVIDIA AMD CPU",
    "computeTypes: GPU CPU",
    "limited: endpoint template key registryLogin worker",
  ]);
  expect(DEFAULT_ACCOUNT).toEqual({ id: "default", name: "default" });
  expect(OVERTAKEN).toBe("the result of an earlier attempt arrived");
});

test("a server begins to count at none, and each route by itself", () => {
  const meters = newMeters(NO_VITALS, NO_DISK);
  expect(meters.webhooks).toEqual({ delivered: 0, retry: 0, given_up: 0 });
  expect([meters.liveReaders, meters.leads(), meters.requests.size, meters.limits.size]).toEqual([
    0,
    false,
    0,
    0,
  ]);
  expect(FINE).toBe(100);
  const meter = requestMeter(meters, "/a");
  expect(meter.classes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(requestMeter(meters, "/a")).toBe(meter);
  expect(requestMeter(meters, "/b")).not.toBe(meter);
});
