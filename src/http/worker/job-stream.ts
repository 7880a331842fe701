import { append } from "../../engine/append.ts";
import { cutOff } from "../../engine/cut-off.ts";
import { readBody } from "../body.ts";
import { jsonReply } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";
import { parseYield } from "./chunk.ts";
import { JOB_CHUNK, KEPT } from "./report-schemas.ts";
import { REPORT_LIMIT, unkept } from "./result.ts";

/**
 * A yield of a job (wire-facts 1.5). Late yields, and those of other workers, are answered 200 and ignored.
 * One that cannot be kept ends its job FAILED, and its worker is asked to stop.
 */
export const reportChunk = workerOperation({
  id: "reportChunk",
  method: "POST",
  path: "/v2/{endpoint}/job-stream/{worker}/{job}",
  summary: "Report a chunk",
  body: { schema: JOB_CHUNK, example: { output: { text: "Hello" } }, isRequired: false },
  answers: { 200: KEPT },
  errors: ["STORAGE_FULL"],
  async handle(context, call, { worker }) {
    const job = call.parameters[2] ?? "";
    try {
      using body = await readBody(call, context.bodies.workers, REPORT_LIMIT);
      const chunks = await parseYield(body.bytes);
      await append(context.engine, { worker, job, attempt: undefined, chunks });
    } catch (error) {
      const reason = unkept("chunk", error);
      await cutOff(context.engine, { worker, job, attempt: undefined, reason });
    }
    return jsonReply(["{}"]);
  },
});
