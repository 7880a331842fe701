// @ts-check
import { element, paragraphs } from "./element.js";
import { methodMark, operationView } from "./operation-view.js";

/** @typedef {import("./openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("./openapi.d.ts").Placed} Placed */

const main = at("operations");
const index = at("index");
const state = at("state");
const keyInput = at("key");
const filter = at("filter");

/** It stays in the field: nothing of this page outlives it. */
const key = () => (keyInput instanceof HTMLInputElement ? keyInput.value : "");

try {
  const answer = await fetch("openapi.json");
  /** @type {OpenApi} */
  const openApi = await answer.json();
  show(openApi);
  state.remove();
  openNamed();
} catch (error) {
  if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
  state.textContent = `The document cannot be read: ${error.message}`;
}

window.addEventListener("hashchange", openNamed);
filter.addEventListener("input", () => {
  const wanted = filter instanceof HTMLInputElement ? filter.value.trim().toLowerCase() : "";
  for (const item of index.querySelectorAll("li")) {
    item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
  }
  for (const group of index.querySelectorAll("div")) {
    group.hidden = group.querySelector("li:not([hidden])") === null;
  }
});

/** @param {OpenApi} openApi */
function show(openApi) {
  at("version").textContent = openApi.info.version;
  at("introduction").append(...paragraphs(openApi.info.description));
  const all = placedOf(openApi);
  for (const { name, description } of openApi.tags) {
    const ofTag = all.filter(({ operation }) => operation.tags[0] === name);
    const views = ofTag.map((placed) => operationView(placed, openApi, key));
    main.append(element("section", {}, element("h2", {}, name), ...paragraphs(description), ...views));
    const links = ofTag.map(({ method, operation }) =>
      element(
        "li",
        {},
        element("a", { href: `#${operation.operationId}` }, methodMark(method), operation.summary),
      ),
    );
    index.append(element("div", {}, element("h2", {}, name), element("ul", {}, ...links)));
  }
}

/** @param {OpenApi} openApi @returns {Placed[]} */
function placedOf(openApi) {
  return Object.entries(openApi.paths).flatMap(([path, { parameters, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      parameters: [...parameters, ...operation.parameters],
    })),
  );
}

/** Opens the operation that the address names. */
function openNamed() {
  const named = document.getElementById(location.hash.slice(1));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
  named.querySelector("summary")?.focus({ preventScroll: true });
}

/** @param {string} id @returns {HTMLElement} */
function at(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}
