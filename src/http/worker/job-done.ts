import type { WorkerIdentity } from "../../domain/worker.ts";
import { askReplacement } from "../../engine/fleet-state.ts";
import { progress } from "../../engine/progress.ts";
import { report } from "../../engine/report.ts";
import { freeStored, readBody } from "../body.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";
import { JOB_RESULT, KEPT } from "./report-schemas.ts";
import { parseResult, REPORT_LIMIT, unkept } from "./result.ts";

/**
 * The result of a job (wire-facts 1.5), or its progress. Workers retry only after a 5xx, and drop the result
 * after any other error. So an error that a retry would not fix is answered 200, and a result that cannot be
 * kept ends its job FAILED with the reason (race R25).
 */
export const reportResult = workerOperation({
  id: "reportResult",
  method: "POST",
  path: "/v2/{endpoint}/job-done/{worker}/{job}",
  summary: "Report a result, or progress",
  body: { schema: JOB_RESULT, example: { output: { text: "Hello, world" } }, isRequired: false },
  answers: { 200: KEPT },
  errors: ["STORAGE_FULL"],
  async handle(context, call, { worker }) {
    const job = call.parameters[2] ?? "";
    const reporter = { endpoint: worker.endpoint, job, worker: worker.id };
    context.engine.unansweredReports.begin(reporter);
    let isKept = false;
    try {
      await keep(context, call, worker, job);
      isKept = true;
    } finally {
      context.engine.unansweredReports.end(reporter, isKept && !call.request.signal.aborted);
    }
    return jsonReply(["{}"]);
  },
});

/** Matched in the text of the query: no invalid query may make the worker lose its result. */
const NO_STREAM = /(?:^|&)isStream=false(?:&|$)/;

async function keep(context: HttpContext, call: Call, worker: WorkerIdentity, job: string): Promise<void> {
  const { engine } = context;
  // The result of a generator is not all that its job has yielded.
  const mayBeLate = NO_STREAM.test(call.query);
  try {
    // The content type is form-urlencoded whatever is sent, so it is not checked.
    using body = await readBody(call, context.bodies.workers, REPORT_LIMIT);
    const parsing = parseResult(body.bytes);
    const result = parsing instanceof Promise ? await parsing : parsing;
    if (result.kind === "progress") {
      await progress(engine, { worker, job, attempt: undefined, value: result.value });
      return;
    }
    const { output, error, wantsReplacement } = result;
    await report(engine, { worker, job, attempt: undefined, output, error, mayBeLate });
    freeStored(body, error ?? output);
    if (wantsReplacement) askReplacement(engine, worker);
  } catch (error) {
    const reason = unkept("result", error);
    await report(context.engine, { worker, job, attempt: undefined, output: undefined, error: reason });
  }
}
