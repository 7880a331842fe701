/** Keys and tokens, with which a program could do what only the worker may. */
const SECRET = /^(?:FOREBAY_(?:KEY|ADMIN_KEY|SECRET_KEY|WORKER_TOKEN|EXCHANGE_URL)|RUNPOD_AI_API_KEY)$/;

/** The environment of a job: that of the worker without its keys, its id, and where its input is. */
export function jobEnvironment(job: string, inputFile: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !SECRET.test(name)) environment[name] = value;
  }
  return { ...environment, FOREBAY_JOB_ID: job, FOREBAY_INPUT_FILE: inputFile };
}
