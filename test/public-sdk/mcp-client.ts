import { ChildWorker } from "../support/child-worker.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** What a tool answered: `text`, and the JSON in it where it is some. */
interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly json: any;
}

/** Versions of the public MCP server: 3.4.0 calls the management API v1, 4.0.0 calls v2. */
const PROGRAMS = {
  "3.4.0": import.meta.resolve("@runpod/mcp-server"),
  "4.0.0": import.meta.resolve("@runpod/mcp-server-4"),
} as const;

/** The public MCP server, unmodified on Node, with the SDK base of a server as its address, over stdio. */
export class McpClient {
  readonly #child: ChildWorker;
  #calls = 0;

  private constructor(url: string, version: keyof typeof PROGRAMS) {
    const program = new URL(PROGRAMS[version]).pathname;
    this.#child = new ChildWorker(["node", program], {
      RUNPOD_API_KEY: TEST_KEY,
      RUNPOD_REST_API_URL: `${url}/sdk/v1`,
      RUNPOD_REST_VERSION: "v1",
      RUNPOD_API_BASE_URL: `${url}/sdk`,
      RUNPOD_SERVERLESS_API_URL: `${url}/sdk/v2`,
    });
  }

  static async start(url: string, version: keyof typeof PROGRAMS = "3.4.0"): Promise<McpClient> {
    const client = new McpClient(url, version);
    const clientInfo = { name: "test", version: "1" };
    await client.#ask("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo });
    client.#child.tell(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    return client;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> {
    const { isError = false, content } = await this.#ask("tools/call", { name: tool, arguments: args });
    const { text } = content[0];
    return { isError, text, json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : null };
  }

  async stop(): Promise<void> {
    await this.#child.kill();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the protocol's results have any shape
  async #ask(method: string, params: object): Promise<any> {
    const id = ++this.#calls;
    this.#child.tell(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const line = await until(`an answer of ${method}`, () =>
      this.#child.lines.find((each) => each.startsWith("{") && JSON.parse(each).id === id),
    );
    const { result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }
}
