import type { DevServer } from "../../dev/start-dev-server.ts";
import type { HandlerFile } from "./find-handler.ts";
import type { Terminal } from "./terminal.ts";

/** The address of the handler, and how to call it, in lines that work when pasted. */
export function welcome(
  { name, endpoint, language }: HandlerFile,
  { url, key }: DevServer,
  { paint }: Terminal,
): string {
  const client = language === "python" ? python(url, key, endpoint) : typescript(url, key, endpoint);
  return [
    `${paint("bold", `forebay dev: ${name} is served on ${url}`)} ${paint("dim", "(Ctrl-C stops it)")}`,
    `console: ${url}/console ${paint("dim", `(sign in with the key ${key})`)}`,
    "",
    `curl -s ${url}/v2/${endpoint}/runsync \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -d '{"input": {"name": "world"}}'`,
    "",
    ...client,
    "",
  ].join("\n");
}

/** The public client SDK of npm. */
function typescript(url: string, key: string, endpoint: string): string[] {
  return [
    'import runpodSdk from "runpod-sdk";',
    `const runpod = runpodSdk("${key}",`,
    `  { baseUrl: "${url}/sdk/v2" });`,
    `await runpod.endpoint("${endpoint}").runSync({ input: { name: "world" } });`,
  ];
}

function python(url: string, key: string, endpoint: string): string[] {
  return [
    "import runpod",
    `runpod.api_key = "${key}"`,
    `runpod.endpoint_url_base = "${url}/sdk/v2"`,
    `runpod.Endpoint("${endpoint}").run_sync({"input": {"name": "world"}})`,
  ];
}
