import type { Account, ApiKey, EndedSessions, KeyUse } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import type { HostRecord } from "../../domain/host.ts";
import type { Release, ReleaseMembers } from "../../domain/release.ts";
import type { Template } from "../../domain/template.ts";
import type { WorkerToken } from "../../domain/worker.ts";
import type { JobOperation } from "../job-operations/job-operation.ts";

/** The body of each kind of configuration record. */
export interface RecordBodies {
  account: Account;
  key: ApiKey;
  endpoint: Endpoint;
  template: StoredTemplate;
  release: StoredRelease;
  worker: WorkerToken;
  keyUse: KeyUse;
  endedSessions: EndedSessions;
  webhookSecret: StoredWebhookSecret;
  deployment: Deployment;
  registryLogin: StoredRegistryLogin;
  templateUse: TemplateUse;
  host: HostRecord;
  jobOperation: JobOperation;
}

/** Identifies the data of one deployment, wherever it is stored. There is one such record. */
export interface Deployment {
  readonly id: "deployment";
  /** Never the same for two deployments: on a machine that both use, it marks what belongs to each. */
  readonly name: string;
}

/** A template as it is stored. The environment can have secrets, so it is encrypted, as base64. */
export interface StoredTemplate extends Omit<Template, "env"> {
  readonly account: string;
  readonly sealedEnv: string;
}

/** A release as it is stored. The part that can have secrets is encrypted, as base64. */
export interface StoredRelease extends Release, Omit<ReleaseMembers, "env"> {
  /** `<endpoint>.<number>`: if several servers create the same release at once, one succeeds. */
  readonly id: string;
  readonly account: string;
  readonly endpoint: string;
  /** JSON of `SealedPart` (stored-release.ts). */
  readonly sealed: string;
}

/** The secret that signs the webhooks of an endpoint, encrypted, as base64. */
export interface StoredWebhookSecret {
  /** Of the endpoint. */
  readonly id: string;
  readonly account: string;
  readonly sealed: string;
  /** The secret before, which also signs until then. */
  readonly previous?: { readonly sealed: string; readonly until: number };
}

/** A registry login as it is stored: username and password are encrypted, as base64. */
export interface StoredRegistryLogin {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly sealed: string;
}

/** How long ended workers of a template have run (decision 0024). */
export interface TemplateUse {
  /** Of the template. */
  readonly id: string;
  readonly account: string;
  readonly ranMs: number;
  /** Workers that are counted in the sum and still have a token, so that none is counted twice. */
  readonly counted: readonly string[];
}
