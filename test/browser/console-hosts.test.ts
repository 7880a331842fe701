import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SilentEngine } from "../support/silent-engine.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { goToPlace, openConsole } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("hosts in the console, in Chromium", () => {
  const person = personAtConsole();

  test("an operator adds a host, drains it, resumes it and deletes it", async () => {
    const { page, server, press, follow, shown } = person;
    await using directory = await temporaryDirectory();
    const engine = await SilentEngine.at(join(directory.path, "engine.sock"));
    await follow("Hosts");
    await shown("processes of this machine");
    await press("New host");
    await page.getByLabel("Name").fill("gpu-1");
    await page.getByLabel("Address").fill("unix:///nowhere.sock");
    await press("Create host");
    await shown("No engine can be used at unix:///nowhere.sock");
    expect(await page.getByLabel("Address").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Address").fill(engine.address);
    await page.getByLabel("Labels").fill("eu\n gpu-a \n");
    await press("Create host");
    await shown("gpu-1 is created.");
    await follow("gpu-1");
    await shown("No workers on this host");
    await shown("eu, gpu-a");
    await press("Labels");
    const labels = page.getByRole("textbox", { name: "Labels" });
    await labels.fill("a b");
    await press("Save");
    await page.locator(".field .wrong").getByText("must begin with a letter").waitFor();
    await labels.fill("us");
    await page.route("**/v1/hosts/gpu-1", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    await press("Save");
    await shown("The labels are saved.");
    // Opened again before the next read, they are those that were saved.
    await press("Labels");
    expect(await labels.inputValue()).toBe("us");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.unroute("**/v1/hosts/gpu-1");
    expect((await server.get("/v1/hosts/gpu-1")).json.labels).toEqual(["us"]);
    const isDraining = async () => (await server.get("/v1/hosts/gpu-1")).json.isDraining;
    await press("Drain");
    await page.locator(".badge").getByText("draining").waitFor();
    expect(await isDraining()).toBe(true);
    await press("Resume");
    await page.locator(".badge").getByText("ready").waitFor();
    expect(await isDraining()).toBe(false);
    await press("Delete");
    expect(await page.getByRole("button", { name: "Delete host" }).isDisabled()).toBe(true);
    await page.getByLabel("Type gpu-1 to confirm").fill("gpu-1");
    await press("Delete host");
    await shown("gpu-1 is deleted.");
    expect((await server.get("/v1/hosts/gpu-1")).status).toBe(404);
    await goToPlace(page, "hosts/local", "No workers on this host");
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await engine.stop();
  });

  test("only the operator sees hosts", async () => {
    const { browser, server } = person;
    const { authorization } = await server.key("manage");
    const key = authorization.replace("Bearer ", "");
    const { page, context } = await openConsole(browser, server, { key });
    expect(await page.getByRole("link", { name: "Keys" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Hosts" }).count()).toBe(0);
    await context.close();
  });
});
