/** What may lie sealed, and the ids that name its place. */
export type SealedPlaceName =
  | readonly [of: "s3Config" | "webhook", endpoint: string, job: string]
  | readonly [of: "env", template: string]
  | readonly [of: "login", registryLogin: string]
  | readonly [of: "release", release: string]
  | readonly [of: "webhookSecret" | "webhookHeaders" | "endpointEnv", endpoint: string];

/** What binds a sealed value to its place (`SecretBox.seal`): written into all data, so never changed. */
export function purposeOf(...[of, owner, job]: SealedPlaceName): string {
  switch (of) {
    case "s3Config":
    case "webhook":
      return `job/${owner}/${job}/${of}`;
    case "env":
      return `template/${owner}/env`;
    case "login":
      return `registryLogin/${owner}/login`;
    case "release":
      return `release/${owner}`;
    case "webhookSecret":
    case "webhookHeaders":
      return `endpoint/${owner}/${of}`;
    case "endpointEnv":
      return `endpoint/${owner}/env`;
  }
}
