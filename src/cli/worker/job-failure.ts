import type { Handler } from "@forebay/worker";
import { say } from "./say.ts";

/** Why a job failed, in a sentence for its submitter. */
export class JobFailure extends Error {}

/** The same handler, whose JobFailure becomes the error of the job without a stack. */
export function withSentences(handler: (...call: Parameters<Handler>) => Promise<unknown>): Handler {
  return async (job, context) => {
    const failed = (error: unknown): { error: string } => {
      if (context.signal.aborted || !(error instanceof JobFailure)) throw error;
      say(error.message, job.id);
      return { error: error.message };
    };
    async function* chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator {
      try {
        yield* stream;
      } catch (error) {
        yield failed(error);
      }
    }
    try {
      const answer = await handler(job, context);
      return isStream(answer) ? chunksOf(answer) : answer;
    } catch (error) {
      return failed(error);
    }
  };
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
