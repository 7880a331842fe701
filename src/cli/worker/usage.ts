/** What `forebay worker --help` prints. */
export const USAGE = `usage: forebay worker --endpoint <id or name> --http <url> [flags]
       forebay worker --endpoint <id or name> --exec '<command>' [flags]
       forebay worker --endpoint <id or name> [flags] -- <program> <arguments>

Takes the jobs of an endpoint and runs each as a request to a server, or as a
process of its own. Needs no code.

Where the jobs come from
  --endpoint ID       the endpoint, by its id or its name
  --create            make an endpoint of this name when there is none
  --server URL        the server; or FOREBAY_URL (http://127.0.0.1:8000)
  --key KEY           your API key; or FOREBAY_KEY
  --concurrency N     jobs that run at the same time (1)
With FOREBAY_EXCHANGE_URL in the environment (forebay worker env) the worker
connects with that, and needs none of these but --concurrency.

Each job as a request: --http URL
  --template JSON     the body, or @file with it; without it the input is the
                      body. Texts in it may have {{input.prompt}}, {{input}}
                      and {{id}}; one that is nothing else keeps its type
  --method NAME       POST (the default), PUT or PATCH
  --header 'A: b'     a header of the request; can be repeated
  --health PATH       takes no jobs unless this answers below 400
  --start-wait TIME   how long to wait for the server at the start (0s)

Each job as a process: --exec 'COMMAND', or -- PROGRAM ARGUMENTS
The input is on the standard input, and in the file FOREBAY_INPUT_FILE.
  --kill-grace TIME   from SIGTERM to SIGKILL for a job that is stopped (5s)

What comes back
A JSON document or a text is the output. Server-sent events and JSON lines are
the chunks of the job's stream, and their list is its output.
  --lines             each line is a chunk
  --no-aggregate      leave the output of a job with chunks empty

SIGTERM: takes no more jobs, and ends when those that run have ended. A second
one stops these. Times are like 500ms, 60s or 5m.
`;
