import * as shapes from "./answer-shapes.ts";
import { NO_NUMBERS, operation } from "./operation.ts";
import { CHUNK, EXCHANGE, RESULT } from "./worker-bodies.ts";

/** docs/worker-protocol.md. */
export const WORKER_OPERATIONS = {
  jobTake: operation(
    {
      name: "job-take",
      path: "/v2/{endpoint}/job-take/{worker}",
      access: "worker",
      query: { job_in_progress: { valid: ["0", "1", "", "x"], wrong: [] } },
      isHeld: true,
      mayBeEmpty: true,
    },
    shapes.TAKEN_JOB,
  ),
  jobTakeBatch: operation(
    {
      name: "job-take-batch",
      path: "/v2/{endpoint}/job-take-batch/{worker}",
      access: "worker",
      query: {
        batch_size: { valid: ["1", "3"], wrong: [...NO_NUMBERS, "0", "1001"] },
        job_in_progress: { valid: ["0", "1"], wrong: [] },
      },
      isHeld: true,
      mayBeEmpty: true,
    },
    shapes.TAKEN_JOBS,
  ),
  jobStop: operation(
    {
      name: "job-stop",
      path: "/v2/{endpoint}/job-stop/{worker}",
      access: "worker",
      isHeld: true,
      mayBeEmpty: true,
    },
    shapes.STOPS,
  ),
  jobDone: operation(
    {
      name: "job-done",
      methods: ["POST"],
      path: "/v2/{endpoint}/job-done/{worker}/{job}",
      access: "worker",
      body: RESULT,
      takesAnyBody: true,
    },
    shapes.ACCEPTED,
  ),
  jobStream: operation(
    {
      name: "job-stream",
      methods: ["POST"],
      path: "/v2/{endpoint}/job-stream/{worker}/{job}",
      access: "worker",
      body: CHUNK,
      takesAnyBody: true,
    },
    shapes.ACCEPTED,
  ),
  ping: operation(
    {
      name: "ping",
      path: "/v2/{endpoint}/ping/{worker}",
      access: "worker",
      query: { job_id: { valid: ["", ",", "absent", "a,b,%00,😀"], wrong: [] } },
    },
    shapes.ACCEPTED,
  ),
  exchange: operation(
    {
      name: "exchange",
      methods: ["POST"],
      path: "/v2/{endpoint}/exchange/{worker}",
      access: "worker",
      body: EXCHANGE,
      isHeld: true,
    },
    shapes.EXCHANGED,
  ),
} as const;
