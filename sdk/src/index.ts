export type { Gate } from "./gate.ts";
export { start } from "./start.ts";
export type { StartOptions } from "./options.ts";
export type { Handler, Job, JobContext, JobLog } from "./handler.ts";
export type { StandardSchema } from "./checked-handler.ts";
export type { JobTrace } from "./trace.ts";
