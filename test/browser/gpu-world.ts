import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cardRow, printedGpus } from "../support/nvidia-smi.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

/** A server with eight GPUs: workers have five, one has failed, and a job waits for more than are free. */
export interface GpuWorld extends AsyncDisposable {
  readonly server: TestServer;
  /** The job that waits. */
  readonly waiting: { readonly endpoint: string; readonly job: string };
}

/** Starts the server and its workers, which are processes that do nothing. */
export async function gpuWorld(): Promise<GpuWorld> {
  const cards = Array.from({ length: 8 }, (_, index) => {
    const use = index < 5 ? `${97 - 4 * index}, ${43_210 - 512 * index}` : "0, 1";
    return `${cardRow(index, index === 6 ? "[GPU is lost]" : "46068")}, ${use}`;
  });
  const driver = await printedGpus(cards);
  const directory = await temporaryDirectory();
  const commands = join(directory.path, "commands.json");
  await writeFile(commands, JSON.stringify({ model: ["sleep", "1000"] }));
  const server = await TestServer.start({ flags: { commands } });

  const gpus = async (): Promise<{ state: string }[]> => (await server.get("/v1/hosts/local")).json.gpus;
  await until("the GPUs are read", async () => (await gpus()).length === 8);
  const { json } = await server.post("/v1/templates", { name: "model", imageName: "process/model" });
  const on = { templateId: json.id };
  await server.endpoint({ ...on, name: "chat-large", gpuCount: 2, workersMin: 2 });
  await server.endpoint({ ...on, name: "embeddings", gpuCount: 1, workersMin: 1 });
  await until("workers have five GPUs", async () => {
    return (await gpus()).filter(({ state }) => state === "ALLOCATED").length === 5;
  });
  const endpoint = await server.endpoint({ ...on, name: "video", gpuCount: 4 });
  const job = await server.run(endpoint);
  await until("the job waits for GPUs", async () => {
    const { fleet } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
    return fleet?.state === "NO_ROOM";
  });
  return {
    server,
    waiting: { endpoint, job },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await directory[Symbol.asyncDispose]();
      await driver[Symbol.asyncDispose]();
    },
  };
}
