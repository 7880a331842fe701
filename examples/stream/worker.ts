import * as serverless from "@forebay/worker";

function* words({ input }: serverless.Job<{ text?: string }>): Generator<string> {
  yield* input.text?.match(/\S+/g) ?? [];
}

await serverless.start({ handler: words, return_aggregate_stream: true });
