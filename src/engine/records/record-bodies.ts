import type { Account, ApiKey, EndedSessions, KeyUse } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import type { Release, ReleaseMembers } from "../../domain/release.ts";
import type { Template } from "../../domain/template.ts";
import type { WorkerToken } from "../../domain/worker.ts";

/** What the body of each kind of configuration record says. */
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
}

/** Identifies the data of one deployment, wherever it is stored. There is one such record. */
export interface Deployment {
  readonly id: "deployment";
  /** Never the same for two deployments: on a machine that both use, it marks what belongs to each. */
  readonly name: string;
}

/**
 * A template as its record holds it: the environment can hold secrets, so it lies there sealed, as base64.
 */
export interface StoredTemplate extends Omit<Template, "env"> {
  readonly account: string;
  readonly sealedEnv: string;
}

/** A release as its record holds it; what can hold secrets lies there sealed, as base64. */
export interface StoredRelease extends Release, Omit<ReleaseMembers, "env"> {
  /** `<endpoint>.<number>`: of servers that make the same one at the same time one succeeds. */
  readonly id: string;
  readonly account: string;
  readonly endpoint: string;
  /** JSON of `SealedPart` (stored-release.ts). */
  readonly sealed: string;
}

/** What the webhooks of an endpoint are signed with, as its record holds it: sealed, as base64. */
export interface StoredWebhookSecret {
  /** Of the endpoint. */
  readonly id: string;
  readonly account: string;
  readonly sealed: string;
  /** The one before, which signs as well until then. */
  readonly previous?: { readonly sealed: string; readonly until: number };
}

/** A registry login as its record holds it: username and password lie sealed, as base64. */
export interface StoredRegistryLogin {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly sealed: string;
}

/** How long workers of a template have run that have ended (decision 0024). */
export interface TemplateUse {
  /** Of the template. */
  readonly id: string;
  readonly account: string;
  readonly ranMs: number;
  /** Workers whose run is in that sum, and whose token is still there: none is counted twice. */
  readonly counted: readonly string[];
}
