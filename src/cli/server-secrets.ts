/** Variables of servers and their clients. Handlers get none of them: they run code of others. */
const SECRETS: ReadonlySet<string> = new Set([
  "FOREBAY_ADMIN_KEY",
  "FOREBAY_SECRET_KEY",
  "FOREBAY_SECRET_KEY_PREVIOUS",
  "FOREBAY_DATABASE_URL",
  "FOREBAY_DATABASE_LISTEN_URL",
  "FOREBAY_KEY",
]);

/** The environment without them. */
export function withoutServerSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.has(name)));
}
