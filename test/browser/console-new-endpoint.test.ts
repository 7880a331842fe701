import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DEFAULTS } from "../../console/src/pages/endpoint/endpoint-members.ts";
import { ENDPOINT_DEFAULTS } from "../../src/domain/endpoint.ts";
import { SilentEngine } from "../support/silent-engine.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("creating an endpoint at the console, in Chromium", () => {
  const person = personAtConsole();

  test("one form creates it with its command, environment and scaling, and a job runs", async () => {
    const { page, server, press, shown } = person;
    await goToPlace(page, "endpoints/new", "Create endpoint");
    await page.getByLabel("Name", { exact: true }).fill("greets");
    await page.getByLabel("A command of the server").check();
    await page.getByLabel("Name of the command").fill("hello");
    const variables = page.getByRole("group", { name: "Environment variables" });
    await variables.getByRole("button", { name: "Add" }).click();
    await variables.getByLabel("Name 1").fill("MODEL");
    await variables.getByLabel("Value 1").fill("small");
    await page.getByLabel("Maximum workers").fill("2");
    await press("Create endpoint");
    await shown("No jobs yet");
    const { json } = await server.get("/v1/endpoints?includeTemplate=true");
    expect(json).toMatchObject([
      {
        name: "greets",
        env: { MODEL: "small" },
        workersMin: 0,
        workersMax: 2,
        template: { name: "greets", imageName: "process/hello" },
      },
    ]);
    const job = await server.run(json[0].id, { name: "form" });
    expect((await server.ended(json[0].id, job)).status).toBe("COMPLETED");
    await server.call("DELETE", `/v1/endpoints/${json[0].id}`);
  });

  test("an error is beside its field, and what was begun is deleted again", async () => {
    const { page, server, press, shown } = person;
    const templates = async (): Promise<unknown[]> => (await server.get("/v1/templates")).json;
    const before = await templates();
    await goToPlace(page, "endpoints/new", "Create endpoint");
    await page.getByLabel("Name", { exact: true }).fill("vision");
    await page.getByLabel("Image", { exact: true }).fill("not an image");
    await press("Create endpoint");
    await shown("must be an image reference, such as");
    expect(await page.getByLabel("Image", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Image", { exact: true }).fill("registry.example.com/team/vision:1");
    await page.getByLabel("GPUs", { exact: true }).fill("1000");
    await press("Create endpoint");
    await until("the number of GPUs is wrong", async () => {
      return (await page.getByLabel("GPUs", { exact: true }).getAttribute("aria-invalid")) === "true";
    });
    expect(await templates()).toEqual(before);
  });

  test("members without an effect are named, after the creation and after a change", async () => {
    const { page, press, shown } = person;
    await goToPlace(page, "endpoints/new", "Create endpoint");
    await page.getByLabel("Name", { exact: true }).fill("elsewhere");
    await page.getByLabel("Image", { exact: true }).fill("registry.example.com/team/chat:1");
    await page.getByLabel("GPUs", { exact: true }).fill("1");
    await press("Create endpoint");
    await shown("gpuCount");
    await shown(/It has no effect\. Forebay starts no workers for this endpoint/);
    await press("Close the warnings");
    expect(await page.getByText(/It has no effect\./).count()).toBe(0);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Flashboot").check();
    await press("Save");
    await shown(/Set workersMin or idleTimeout to avoid cold starts/);
    await page.getByRole("navigation", { name: "Endpoint" }).getByRole("link", { name: "Jobs" }).click();
    await page.getByText(/Set workersMin or idleTimeout/).waitFor({ state: "detached" });
  });

  test("the defaults that it shows are those of the server", () => {
    expect(ENDPOINT_DEFAULTS).toMatchObject(DEFAULTS);
  });

  test("a host gets GPUs as they are declared", async () => {
    const { page, server, follow, press, shown } = person;
    await using directory = await temporaryDirectory();
    const engine = await SilentEngine.at(join(directory.path, "engine.sock"));
    await follow("Hosts");
    await press("New host");
    await page.getByLabel("Name").fill("gpu-9");
    await page.getByLabel("Address").fill(engine.address);
    await page.getByLabel("GPUs").fill("a card");
    await press("Create host");
    await shown("must be a UUID as nvidia-smi -L shows it");
    const uuid = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";
    await page.getByLabel("GPUs").fill(`GPU 0: NVIDIA L40S (UUID: ${uuid})\nGPU-1=NVIDIA A40:46068\n`);
    await press("Create host");
    await shown("gpu-9 is created.");
    const { gpus } = (await server.get("/v1/hosts/gpu-9")).json;
    expect(gpus).toMatchObject([
      { uuid, name: "NVIDIA L40S" },
      { uuid: "GPU-1", name: "NVIDIA A40", memoryInMb: 46_068 },
    ]);
    await server.call("DELETE", "/v1/hosts/gpu-9");
    await engine.stop();
  });
});
