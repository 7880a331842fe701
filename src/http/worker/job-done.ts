import { ForebayError } from "../../domain/errors.ts";
import type { WorkerIdentity } from "../../domain/worker.ts";
import { askReplacement } from "../../engine/ask-replacement.ts";
import { progress } from "../../engine/progress.ts";
import { report } from "../../engine/report.ts";
import { MB, readBody } from "../body.ts";
import type { Call } from "../call.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";
import { jsonString, parseResult, type WorkerResult } from "./result.ts";

/** A result may be somewhat larger than what was submitted. */
const RESULT_LIMIT = 25 * MB;

/**
 * The result of a job (wire-facts 1.5), or its progress. Workers repeat a call only after a 5xx, and drop the
 * result after any other error: so whatever a repetition cannot mend is answered 200, and a result that
 * cannot be kept ends its job FAILED with the reason (race R25).
 */
export function jobDoneRoute(context: HttpContext): Route {
  return {
    methods: ["POST"],
    path: "/v2/{endpoint}/job-done/{worker}/{job}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const job = call.parameters[2] ?? "";
      const result = await readResult(call);
      if (result.kind === "progress") {
        await progress(context.engine, { worker, job, attempt: undefined, value: result.value });
      } else await accept(context, worker, job, result);
      return jsonReply(["{}"]);
    },
  };
}

async function accept(
  { engine }: HttpContext,
  worker: WorkerIdentity,
  job: string,
  { output, error, wantsReplacement }: Extract<WorkerResult, { kind: "result" }>,
): Promise<void> {
  await report(engine, { worker, job, attempt: undefined, output, error });
  if (wantsReplacement) askReplacement(engine, worker);
}

async function readResult(call: Call): Promise<WorkerResult> {
  try {
    // The content type says form-urlencoded whatever is sent: it is not looked at.
    return await parseResult(await readBody(call, RESULT_LIMIT));
  } catch (error) {
    if (!(error instanceof ForebayError) || error.code === "INCOMPLETE_BODY") throw error;
    const reason = jsonString(`the result could not be kept: ${error.message}`);
    return { kind: "result", output: undefined, error: reason, wantsReplacement: false };
  }
}
