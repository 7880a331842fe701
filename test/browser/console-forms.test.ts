import { describe, expect, test } from "bun:test";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

/** Types into two fields in one turn of the page, as a browser does that fills a form. */
const FILL_TWO = `{
  const type = (label, text) => {
    const labels = [...document.querySelectorAll("dialog label")];
    const input = document.getElementById(labels.find((one) => one.textContent === label).htmlFor);
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  type("Name", "team");
  type("Username", "bot");
}`;

describe("forms of the console keep what is typed, in Chromium", () => {
  const person = personAtConsole();

  test("a template that is edited again before the next read shows what was saved", async () => {
    const { page, server, press, follow } = person;
    const { json } = await server.post("/v1/templates", { name: "edited", imageName: "process/hello" });
    await goToPlace(page, `templates/${json.id}`, "edited");
    await follow("Edit");
    await page.getByLabel("Readme").fill("new words");
    await page.route("**/v1/templates?*", () => undefined);
    await press("Save");
    await page.getByText("new words").waitFor();
    await follow("Edit");
    expect(await page.getByLabel("Readme").inputValue()).toBe("new words");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("fields that a browser fills at once all keep their values", async () => {
    const { page, press } = person;
    await goToPlace(page, "templates/registry-logins", "Registry logins");
    await press("New registry login");
    await page.getByRole("dialog").waitFor();
    await page.evaluate(FILL_TWO);
    expect(await page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue()).toBe("team");
    expect(await page.getByRole("dialog").getByLabel("Username").inputValue()).toBe("bot");
  });
});
