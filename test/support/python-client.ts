import type { Environment } from "./python.ts";
import type { PythonProcess } from "./python-process.ts";
import type { PythonProcesses } from "./python-processes.ts";
import { TEST_KEY, type TestClient } from "./test-client.ts";

export interface PythonClientStart {
  readonly server: TestClient;
  readonly endpoint: string;
  readonly key?: string;
  /** The asynchronous client instead of the synchronous one. */
  readonly isAsyncio?: boolean;
  /** The packages of its version; those of the newest stable one if not given. */
  readonly packages?: Environment;
}

/** A client of the unmodified public SDK, bound to an endpoint. */
export class PythonClient {
  readonly #process: PythonProcess;
  #calls = 0;

  constructor(
    python: PythonProcesses,
    { server, endpoint, key = TEST_KEY, isAsyncio = false, packages }: PythonClientStart,
  ) {
    this.#process = python.start({
      script: isAsyncio ? "asyncio_client.py" : "client.py",
      args: [key, endpoint],
      packages,
      env: { RUNPOD_ENDPOINT_BASE_URL: `${server.url}/sdk/v2` },
    });
  }

  /** What the call returned; throws what it raised. Jobs are named by their ids. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  async call(name: string, ...args: unknown[]): Promise<any> {
    this.#process.write(JSON.stringify([name, ...args]));
    this.#calls++;
    const answer = JSON.parse(await this.#process.line(/^\{"(returned|raised)"/, this.#calls));
    if ("raised" in answer) throw new Error(answer.raised);
    return answer.returned;
  }
}
