/** The one call of Forebay's own protocol. */
export interface ExchangeEnvironment {
  readonly protocol: "exchange";
  readonly url: string;
  readonly token: string;
  readonly workerId: string;
}

/** The addresses of the public protocol. `$JOB` stands for the id of a job. */
export interface PublicEnvironment {
  readonly protocol: "public";
  readonly take: string;
  readonly takeBatch: string;
  readonly stop: string;
  readonly done: string;
  readonly stream: string;
  readonly ping: string;
  /** Milliseconds. */
  readonly pingInterval: number;
  readonly token: string;
  readonly workerId: string;
}

export type WorkerEnvironment = ExchangeEnvironment | PublicEnvironment;

export type ProtocolName = WorkerEnvironment["protocol"];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The server's address and the protocol. `asked` overrides FOREBAY_PROTOCOL. Without either, the worker uses
 * Forebay's own protocol if its address is set. Throws a sentence that names what is missing.
 */
export function readEnvironment(variables: Variables, asked: ProtocolName | undefined): WorkerEnvironment {
  const protocol = asked ?? protocolOf(variables);
  const ownId = crypto.randomUUID();
  return protocol === "exchange" ? exchangeOf(variables, ownId) : publicOf(variables, ownId);
}

function protocolOf(variables: Variables): ProtocolName {
  const named = variables["FOREBAY_PROTOCOL"] ?? "";
  if (named === "exchange" || named === "public") return named;
  if (named !== "") throw new Error(`FOREBAY_PROTOCOL must be exchange or public, got ${named}.`);
  if (isSet(variables, "FOREBAY_EXCHANGE_URL")) return "exchange";
  if (isSet(variables, "RUNPOD_WEBHOOK_GET_JOB")) return "public";
  throw new Error(
    "The worker does not know its server: neither FOREBAY_EXCHANGE_URL nor RUNPOD_WEBHOOK_GET_JOB is set. " +
      "POST /v1/endpoints/<endpoint>/workers answers the environment that a worker needs. " +
      "Without a server, test_input.json, --test_input and --rp_serve_api try the handler.",
  );
}

function exchangeOf(variables: Variables, ownId: string): ExchangeEnvironment {
  requireAll(variables, ["FOREBAY_EXCHANGE_URL", "FOREBAY_WORKER_TOKEN"]);
  // Workers with a shared token choose an id. A worker with its own token gets its id here.
  const url = addressOf(variables, "FOREBAY_EXCHANGE_URL").replace("$ID", ownId);
  return {
    protocol: "exchange",
    url,
    token: valueOf(variables, "FOREBAY_WORKER_TOKEN"),
    workerId: url.slice(url.lastIndexOf("/") + 1),
  };
}

const ADDRESSES = ["GET_JOB", "POST_OUTPUT", "POST_STREAM", "PING"].map((name) => `RUNPOD_WEBHOOK_${name}`);

function publicOf(variables: Variables, ownId: string): PublicEnvironment {
  requireAll(variables, [...ADDRESSES, "RUNPOD_AI_API_KEY"]);
  const workerId = isSet(variables, "RUNPOD_POD_ID") ? valueOf(variables, "RUNPOD_POD_ID") : ownId;
  // `$ID` is the worker in the address for jobs, and the job in all others.
  const ofWorker = (name: string): string =>
    addressOf(variables, `RUNPOD_WEBHOOK_${name}`).replace("$RUNPOD_POD_ID", workerId);
  const take = ofWorker("GET_JOB").replace("$ID", workerId);
  return {
    protocol: "public",
    take,
    takeBatch: take.replace("/job-take/", "/job-take-batch/"),
    stop: take.replace("/job-take/", "/job-stop/"),
    done: ofWorker("POST_OUTPUT").replace("$ID", "$JOB"),
    stream: ofWorker("POST_STREAM").replace("$ID", "$JOB"),
    ping: ofWorker("PING"),
    pingInterval: pingIntervalOf(variables),
    token: valueOf(variables, "RUNPOD_AI_API_KEY"),
    workerId,
  };
}

/** The default ping interval of the public worker SDK. */
const DEFAULT_PING_INTERVAL = 10_000;

function pingIntervalOf(variables: Variables): number {
  const given = variables["RUNPOD_PING_INTERVAL"] ?? String(DEFAULT_PING_INTERVAL);
  const interval = /^[0-9]{1,9}$/.test(given) ? Number(given) : 0;
  if (interval > 0) return interval;
  throw new Error(`RUNPOD_PING_INTERVAL must be a number of milliseconds above 0, got ${given}.`);
}

function requireAll(variables: Variables, names: readonly string[]): void {
  const missing = names.filter((name) => !isSet(variables, name));
  if (missing.length > 0) {
    throw new Error(
      `The worker's environment lacks ${missing.join(", ")}. ` +
        "POST /v1/endpoints/<endpoint>/workers answers all that a worker needs.",
    );
  }
}

function addressOf(variables: Variables, name: string): string {
  const address = valueOf(variables, name);
  if (/^https?:/.test(address) && URL.canParse(address)) return address;
  throw new Error(`${name} must be an http or https address, got ${address}.`);
}

function isSet(variables: Variables, name: string): boolean {
  return valueOf(variables, name) !== "";
}

function valueOf(variables: Variables, name: string): string {
  return variables[name] ?? "";
}
