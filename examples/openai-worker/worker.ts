import * as serverless from "@forebay/worker";
import { LanguageModel } from "./model/language-model.ts";
import { ModelError } from "./openai/model-error.ts";
import { route, type RouteInput } from "./openai/route.ts";

const model = new LanguageModel();

/** A call of OpenAI's API for each job; what is wrong with it is the job's error. */
async function* answer(
  { input }: serverless.Job<RouteInput>,
  { signal }: serverless.JobContext,
): AsyncGenerator {
  try {
    yield* route(model, input, signal);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    yield { error: error.told };
  }
}

await serverless.start({ handler: answer, return_aggregate_stream: true, concurrency: 4 });
