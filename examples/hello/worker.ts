import * as serverless from "@forebay/worker";

function greet({ input }: serverless.Job<{ name?: string }>): { greeting: string } {
  return { greeting: `Hello, ${input.name ?? "world"}!` };
}

await serverless.start({ handler: greet });
