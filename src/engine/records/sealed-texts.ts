import type { Endpoint } from "../../domain/endpoint.ts";
import type { HostRecord } from "../../domain/host.ts";
import { purposeOf } from "../secret-box.ts";
import type {
  RecordBodies,
  StoredRegistryLogin,
  StoredRelease,
  StoredTemplate,
  StoredWebhookSecret,
} from "./record-bodies.ts";

/** Answers a replacement for a sealed text, or the same text. Both are base64. */
export type Replacement = (sealed: string, purpose: string) => string;

/** The kinds of records that hold sealed texts. */
export const SEALED_KINDS = [
  "template",
  "endpoint",
  "webhookSecret",
  "registryLogin",
  "release",
  "host",
] as const;

export type SealedKind = (typeof SEALED_KINDS)[number];

const REPLACED: { readonly [K in SealedKind]: (body: RecordBodies[K], by: Replacement) => RecordBodies[K] } =
  {
    template: (template: StoredTemplate, by) => ({
      ...template,
      sealedEnv: by(template.sealedEnv, purposeOf("env", template.id)),
    }),

    endpoint(endpoint: Endpoint, by) {
      const { id, webhookHeaders, sealedEnv } = endpoint;
      return {
        ...endpoint,
        ...(sealedEnv && { sealedEnv: by(sealedEnv, purposeOf("endpointEnv", id)) }),
        ...(webhookHeaders && {
          webhookHeaders: {
            ...webhookHeaders,
            sealed: by(webhookHeaders.sealed, purposeOf("webhookHeaders", id)),
          },
        }),
      };
    },

    webhookSecret({ previous, ...stored }: StoredWebhookSecret, by) {
      const purpose = purposeOf("webhookSecret", stored.id);
      const before = previous && { previous: { ...previous, sealed: by(previous.sealed, purpose) } };
      return { ...stored, sealed: by(stored.sealed, purpose), ...before };
    },

    registryLogin: (login: StoredRegistryLogin, by) => ({
      ...login,
      sealed: by(login.sealed, purposeOf("login", login.id)),
    }),

    release: (release: StoredRelease, by) => ({
      ...release,
      sealed: by(release.sealed, purposeOf("release", release.id)),
    }),

    host: (host: HostRecord, by) => ({
      ...host,
      ...(host.sealed && { sealed: by(host.sealed, purposeOf("host", host.id)) }),
    }),
  };

/** The record with all its sealed texts replaced. */
export function withSealedTexts<K extends SealedKind>(
  kind: K,
  body: RecordBodies[K],
  by: Replacement,
): RecordBodies[K] {
  return REPLACED[kind](body, by);
}
