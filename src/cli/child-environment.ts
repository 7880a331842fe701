/** Variables of servers and their clients. Handlers get none of them: they run code of others. */
const SERVER_SECRETS: ReadonlySet<string> = new Set([
  "FOREBAY_ADMIN_KEY",
  "FOREBAY_SECRET_KEY",
  "FOREBAY_SECRET_KEY_PREVIOUS",
  "FOREBAY_DATABASE_URL",
  "FOREBAY_DATABASE_LISTEN_URL",
  "FOREBAY_KEY",
]);

/** The environment without them. */
export function withoutServerSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SERVER_SECRETS.has(name)));
}

/** Keys and tokens, with which a program could do what only the worker may. */
const WORKER_SECRETS =
  /^(?:FOREBAY_(?:KEY|ADMIN_KEY|SECRET_KEY|WORKER_TOKEN|EXCHANGE_URL)|RUNPOD_AI_API_KEY)$/;

/** The environment of a job: that of the worker without its keys, its id, and where its input is. */
export function jobEnvironment(job: string, inputFile: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !WORKER_SECRETS.test(name)) environment[name] = value;
  }
  return { ...environment, FOREBAY_JOB_ID: job, FOREBAY_INPUT_FILE: inputFile };
}
