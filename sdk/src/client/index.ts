export { Forebay, type ForebayOptions, type OtherCall } from "./forebay.ts";
export { ForebayError } from "./answer.ts";
export type { Endpoint } from "./endpoint.ts";
export type { CallOptions, RequestsOptions, StreamOptions, SubmitOptions, WaitOptions } from "./options.ts";
export {
  type Chunk,
  type CompletedJob,
  type EndedJob,
  type EndedStatus,
  type FailedJob,
  hasEnded,
  type Health,
  type Job,
  type JobRequest,
  type JobStatus,
  type JobTicket,
  type PurgeResult,
  type RequestsPage,
  type UnfinishedJob,
  type UnfinishedStatus,
} from "./job.ts";
