/** Variables of servers and their clients. Handlers get none of them, because they run code of others. */
const SERVER_SECRETS: ReadonlySet<string> = new Set([
  "FOREBAY_ADMIN_KEY",
  "FOREBAY_SECRET_KEY",
  "FOREBAY_SECRET_KEY_PREVIOUS",
  "FOREBAY_DATABASE_URL",
  "FOREBAY_DATABASE_LISTEN_URL",
  "FOREBAY_KEY",
]);

/** The environment without the secrets of servers and clients. */
export function withoutServerSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SERVER_SECRETS.has(name)));
}

/** Keys and tokens that would give a program the rights of the worker. */
const WORKER_SECRETS =
  /^(?:FOREBAY_(?:KEY|ADMIN_KEY|SECRET_KEY|WORKER_TOKEN|EXCHANGE_URL)|RUNPOD_AI_API_KEY)$/;

/**
 * The environment of a job: that of the worker without its keys, plus the job's id and the path of its input.
 */
export function jobEnvironment(job: string, inputFile: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !WORKER_SECRETS.test(name)) environment[name] = value;
  }
  return { ...environment, FOREBAY_JOB_ID: job, FOREBAY_INPUT_FILE: inputFile };
}
