import { bytes } from "../../model/bytes.ts";
import { SEALED } from "../../contract/webhook-steps.ts";
import {
  append,
  appendTooMuch,
  cancel,
  complete,
  completeLate,
  completeUnnumbered,
  drain,
  enqueue,
  enqueueCapped,
  enqueueKeyed,
  fail,
  forget,
  giveBack,
  hangUp,
  noteColdStart,
  pingWithAll,
  pingWithNone,
  progress,
  purge,
  removeEndpoint,
  resealSecret,
  resealWebhook,
  retry,
  retryCapped,
  retryInTime,
  setTtlLater,
  setTtlNow,
  take,
  timeOut,
} from "./moves.ts";
import { NOW, type Place, type Situation } from "./situation.ts";

/** All that one endpoint's queue is: one job that waits, or ran, or has ended. */
const JOB = "job";

const submitted = ({ steps }: Place, retention = 60_000) =>
  steps.enqueue(JOB, 1, {
    retention,
    secret: bytes("sealed secret"),
    webhook: { sealed: SEALED, receiver: "a.example:443" },
    idempotency: { key: "of the job", digest: bytes("digest"), until: NOW + 60_000 },
  });

const running = (place: Place) => [
  [submitted(place)],
  [place.steps.take("w1")],
  [place.steps.append(JOB, "w1", [bytes("chunk 0")], 1)],
];

/** Its first attempt was given back, and put out nothing. */
const returned = (place: Place) => [
  [submitted(place)],
  [place.steps.take("w1")],
  [place.steps.giveBack(JOB, 1, { losses: 1 })],
];

export const JOB_SITUATIONS: readonly Situation[] = [
  {
    name: "a waiting job",
    before: (place) => [[submitted(place)]],
    moves: [
      enqueue,
      enqueueCapped,
      enqueueKeyed("new"),
      enqueueKeyed("of the job"),
      take("w1"),
      cancel(JOB),
      setTtlNow(JOB),
      setTtlLater(JOB),
      drain(JOB),
      purge,
      forget,
      resealWebhook(JOB),
      removeEndpoint,
    ],
  },
  {
    name: "an empty queue whose last key is over",
    before: ({ steps }) => [
      [
        steps.enqueue(JOB, 1, { idempotency: { key: "over", digest: bytes("digest"), until: NOW } }),
        steps.cancel(JOB, 60_000),
      ],
    ],
    moves: [enqueue, enqueueCapped, enqueueKeyed("over"), enqueueKeyed("new"), forget, purge, removeEndpoint],
  },
  {
    name: "a running job",
    before: running,
    moves: [
      complete(JOB, "w1", 1),
      fail(JOB, "w1", 1),
      timeOut(JOB),
      giveBack(JOB, 1),
      append(JOB, "w1", 1),
      appendTooMuch(JOB, "w1", 1),
      progress(JOB, "w1", 1),
      pingWithAll("w1"),
      pingWithNone("w1"),
      cancel(JOB),
      setTtlLater(JOB),
      drain(JOB),
      noteColdStart(JOB, 1),
      removeEndpoint,
    ],
  },
  {
    name: "a running job whose first attempt was given back",
    before: (place) => [...returned(place), [place.steps.take("w2")]],
    moves: [
      completeLate(JOB, "w1"),
      complete(JOB, "w1", 1),
      complete(JOB, "w2", 2),
      giveBack(JOB, 2),
      cancel(JOB),
      timeOut(JOB),
      append(JOB, "w2", 2),
      pingWithNone("w2"),
      pingWithAll("w2"),
      setTtlNow(JOB),
      noteColdStart(JOB, 1),
    ],
  },
  {
    name: "a job that went out again to the same worker",
    before: (place) => [...returned(place), [place.steps.take("w1")]],
    moves: [
      complete(JOB, "w1", 1),
      complete(JOB, "w1", 2),
      fail(JOB, "w1", 2),
      giveBack(JOB, 2),
      append(JOB, "w1", 2),
      cancel(JOB),
    ],
  },
  {
    name: "a waiting job whose first attempt was given back",
    before: returned,
    moves: [
      completeLate(JOB, "w1"),
      complete(JOB, "w1", 1),
      take("w1"),
      cancel(JOB),
      timeOut(JOB),
      purge,
      setTtlNow(JOB),
      noteColdStart(JOB, 1),
      pingWithAll("w1"),
    ],
  },
  {
    name: "a failed job",
    before: (place) => [
      ...running(place),
      [
        place.steps.finish("fail", JOB, {
          worker: "w1",
          attempt: 1,
          error: bytes('"error"'),
          retention: 60_000,
        }),
      ],
    ],
    moves: [
      retry(JOB),
      retryCapped(JOB),
      fail(JOB, "w1", 1),
      append(JOB, "w1", 1),
      noteColdStart(JOB, 1),
      setTtlNow(JOB),
      drain(JOB),
      enqueueCapped,
      take("w2"),
      forget,
      removeEndpoint,
    ],
  },
  {
    name: "a failed job whose retention ends now",
    before: (place) => [
      [submitted(place, 0)],
      [place.steps.take("w1")],
      [place.steps.append(JOB, "w1", [bytes("chunk 0")], 1)],
      [place.steps.finish("fail", JOB, { worker: "w1", attempt: 1, retention: 1_000 })],
    ],
    moves: [
      forget,
      retryInTime(JOB),
      retry(JOB),
      setTtlLater(JOB),
      drain(JOB),
      noteColdStart(JOB, 1),
      enqueueKeyed("of the job"),
      resealSecret(JOB),
      pingWithAll("w1"),
      removeEndpoint,
    ],
  },
  {
    name: "a cancelled job that its worker may still run",
    before: (place) => [...running(place), [place.steps.cancel(JOB, 1_000)]],
    moves: [
      pingWithNone("w1"),
      pingWithAll("w1"),
      hangUp("w1"),
      complete(JOB, "w1", 1),
      completeUnnumbered(JOB, "w1"),
      cancel(JOB),
      forget,
      drain(JOB),
      setTtlNow(JOB),
    ],
  },
];
