import { describe, expect, test } from "bun:test";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

const PASSWORD = "ghp_readonly0123456789";

describe("registry logins at the console, in Chromium", () => {
  const person = personAtConsole();

  test("one is created, with errors next to fields, and its password is nowhere afterwards", async () => {
    const { page, server, press, follow, shown } = person;
    const asked: string[] = [];
    page.on("response", async (response) => asked.push(await response.text().catch(() => "")));
    await follow("Templates");
    await follow("Registry logins");
    await shown("No registry logins yet");
    await press("New registry login");
    const dialog = page.getByRole("dialog", { name: "New registry login" });
    await dialog.getByLabel("Name", { exact: true }).fill("ghcr");
    await dialog.getByLabel("Username").fill("team:bot");
    await dialog.getByLabel("Password or token").fill(PASSWORD);
    await press("Create registry login");
    await dialog.locator(".wrong").getByText("must not contain a colon").waitFor();
    expect(await dialog.getByLabel("Username").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Username").fill("team-bot");
    await press("Create registry login");
    await page.getByRole("rowheader", { name: /^ghcr/ }).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect((await server.get("/v1/containerregistryauth")).json).toEqual([
      { id: expect.any(String), name: "ghcr" },
    ]);

    const values = await page.evaluate<string>(
      "JSON.stringify([...document.querySelectorAll('input')].map(({ value }) => value))",
    );
    expect((await page.content()) + values + asked.join("")).not.toContain(PASSWORD);

    await press("New registry login");
    await dialog.getByLabel("Name", { exact: true }).fill("ghcr");
    await dialog.getByLabel("Username").fill("again");
    await dialog.getByLabel("Password or token").fill("again");
    await press("Create registry login");
    await dialog.locator(".wrong").waitFor();
    expect(await dialog.getByLabel("Name", { exact: true }).getAttribute("aria-invalid")).toBe("true");
  });

  test("a template chooses one by name, which then stays until the template names none", async () => {
    const { page, server, press, follow, shown } = person;
    const login = { name: "private", username: "team-bot", password: PASSWORD };
    const { id } = (await server.post("/v1/containerregistryauth", login)).json;
    await goToPlace(page, "templates/new", "Entrypoint");
    await page.getByLabel("Name", { exact: true }).fill("inside");
    await page.getByLabel("Image").fill("registry.example.com/team/inside:1");
    await page.getByLabel("Registry login").selectOption("private");
    await press("Create template");
    await shown("No readme.");
    const [template] = (await server.get("/v1/templates")).json;
    expect(template.containerRegistryAuthId).toBe(id);

    await goToPlace(page, "templates/registry-logins", "Logins to pull private images");
    const row = page.getByRole("row").filter({ hasText: "private" });
    await row.getByRole("link", { name: "inside" }).waitFor();
    await press("Delete private");
    await press("Delete registry login");
    await page.getByRole("dialog").getByText("IN_USE").waitFor();
    await press("Cancel");

    await row.getByRole("link", { name: "inside" }).click();
    await follow("Edit");
    const choice = page.getByLabel("Registry login");
    await choice.getByRole("option", { name: "private", selected: true }).waitFor({ state: "attached" });
    expect(await choice.inputValue()).toBe(id);
    await choice.selectOption("none");
    await press("Save");
    await shown("No readme.");

    await goToPlace(page, "templates/registry-logins", "Logins to pull private images");
    await press("Delete private");
    await press("Delete registry login");
    await row.waitFor({ state: "detached" });
    expect((await server.get(`/v1/containerregistryauth/${id}`)).status).toBe(404);
  });
});
