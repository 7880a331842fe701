// @ts-check
import { curlLine } from "./curl-line.js";

// Starts Swagger UI, and adds what it lacks: the system's dark mode, a search in all operations, accessible
// names, and a curl line that does not show the key.

const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", followScheme);
followScheme();

const ui = SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#page",
  // Its own deep links put a link into each button, which screen readers cannot reach.
  deepLinking: false,
  validatorUrl: null,
  persistAuthorization: false,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  syntaxHighlight: false,
  filter: true,
  plugins: [forebay],
  onComplete: openNamed,
});
window.addEventListener("hashchange", openNamed);

function followScheme() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

/** @param {SwaggerSystem} system */
function forebay({ React: { createElement } }) {
  return {
    fn: { opsFilter: matching },
    components: { ServersContainer: () => null, curl: curl(createElement) },
    wrapComponents: {
      InfoContainer: around(createElement, "div", { role: "banner" }),
      FilterContainer: around(
        createElement,
        "div",
        { role: "search" },
        // The headings of the tags have the third level.
        createElement("h2", { className: "unseen" }, "Operations"),
      ),
      ExamplesSelect: around(createElement, "label", {}, "Example "),
      TextArea: changed(createElement, (props) => ({ ...props, "aria-label": "Body" })),
      Input: changed(createElement, asSecret),
    },
  };
}

/** The operations whose method, path or summary has these letters, by tag. @param {Tags} byTag @param {string} text */
function matching(byTag, text) {
  const wanted = text.trim().toLowerCase();
  return byTag
    .map((tag) =>
      tag.set(
        "operations",
        tag.get("operations").filter((/** @type {Placed} */ one) => has(one, wanted)),
      ),
    )
    .filter((tag) => tag.get("operations").size > 0);
}

/** @param {Placed} placed @param {string} wanted */
function has(placed, wanted) {
  const summary = placed.get("operation").get("summary");
  return `${placed.get("method")} ${placed.get("path")} ${summary}`.toLowerCase().includes(wanted);
}

/**
 * The component inside an element, after other children.
 * @param {CreateElement} createElement
 * @param {string} tag
 * @param {object} attributes
 * @param {unknown[]} before
 */
function around(createElement, tag, attributes, ...before) {
  return (/** @type {Component} */ original) => (/** @type {object} */ props) =>
    createElement(tag, attributes, ...before, createElement(original, props));
}

/**
 * The component with other properties.
 * @param {CreateElement} createElement
 * @param {(props: object) => object} change
 */
function changed(createElement, change) {
  return (/** @type {Component} */ original) => (/** @type {object} */ props) =>
    createElement(original, change(props));
}

/** Only inputs for keys take the focus by themselves: they hide the key, and leave the focus. @param {object} props */
function asSecret(props) {
  return "autoFocus" in props ? { ...props, autoFocus: false, type: "password" } : props;
}

/** @param {CreateElement} createElement */
function curl(createElement) {
  return (/** @type {{ request: { toJS(): import("./curl-line.js").Sent } }} */ { request }) =>
    createElement(
      "div",
      { className: "curl-command" },
      createElement("h4", {}, "Curl"),
      createElement("pre", { className: "curl", tabIndex: 0 }, curlLine(request.toJS())),
    );
}

/** Opens the operation that the address names, such as `#run`. */
function openNamed() {
  const name = CSS.escape(location.hash.slice(1));
  const found = document.querySelector(`.opblock[id^="operations-"][id$="-${name}"]`);
  if (name === "" || found === null) return;
  ui.layoutActions.show(found.id.split("-"), true);
  found.scrollIntoView();
  found.querySelector("button")?.focus({ preventScroll: true });
}
