// @ts-check
import { element, paragraphs } from "./element.js";
import { schemaTree } from "./schema-tree.js";
import { tryIt } from "./try-it.js";

/** @typedef {import("./openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("./openapi.d.ts").Placed} Placed */
/** @typedef {import("./openapi.d.ts").Answer} Answer */

/**
 * An operation: a line that opens to all that the document says of it, and to a form.
 * @param {Placed} placed
 * @param {OpenApi} document
 * @param {() => string} key
 * @returns {HTMLDetailsElement}
 */
export function operationView(placed, document, key) {
  const { method, path, operation } = placed;
  const view = element(
    "details",
    { class: "operation", id: operation.operationId },
    element(
      "summary",
      {},
      methodMark(method),
      element("code", { class: "path" }, path),
      element("span", { class: "soft" }, operation.summary),
    ),
  );
  // Most are never opened.
  view.addEventListener("toggle", () => view.append(inside(placed, document, key)), { once: true });
  return view;
}

/** @param {string} method */
export function methodMark(method) {
  return element("span", { class: `method ${method.toLowerCase()}` }, method);
}

/** @param {Placed} placed @param {OpenApi} document @param {() => string} key */
function inside(placed, document, key) {
  const { operation } = placed;
  const { schemas } = document.components;
  const view = element("div", { class: "inside" }, ...paragraphs(operation.description ?? ""));
  view.append(element("p", { class: "soft" }, accessText(placed)));
  for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
    view.append(element("h3", {}, "Body"), schemaTree(schema, schemas));
  }
  view.append(element("h3", {}, "Answers"));
  for (const [status, answer] of Object.entries(operation.responses)) {
    view.append(answerView(status, answer, document));
  }
  const base = document.servers[0]?.url.replace(/\/$/, "") ?? "";
  view.append(element("h3", {}, "Try it"), tryIt(placed, base, key));
  return view;
}

/** Who may call, and how often. @param {Placed} placed */
function accessText({ operation }) {
  const [first] = operation.security;
  const [[scheme, scopes] = ["", []]] = Object.entries(first ?? {});
  const limit = operation["x-rate-limit"];
  const who =
    first === undefined
      ? "Needs no key."
      : scheme === "workerToken"
        ? "Needs the token of a worker."
        : `Needs a key with the scope ${scopes.join(", ")}.`;
  if (limit === undefined) return who;
  const atOnce = limit.concurrent === undefined ? "" : `, ${limit.concurrent} at once`;
  return `${who} At most ${limit.requests} calls in ${limit.within / 1_000} s${atOnce}.`;
}

/** @param {string} status @param {Answer} answer @param {OpenApi} document */
function answerView(status, answer, { components }) {
  const kind = status.startsWith("2") ? "status good" : status < "400" ? "status" : "status bad";
  const [first = "", ...more] = answer.description.split("\n\n");
  const line = more.length === 0 ? first : [first, ...more].map((one) => one.split(":")[0]).join(", ");
  const view = element(
    "details",
    { class: "answer" },
    element("summary", {}, element("span", { class: kind }, status), line.replaceAll("`", "")),
  );
  if (more.length > 0) view.append(...paragraphs(answer.description));
  const headers = Object.keys(answer.headers ?? {});
  if (headers.length > 0) view.append(element("p", { class: "soft" }, `Headers: ${headers.join(", ")}`));
  for (const { schema, example, examples } of Object.values(answer.content ?? {})) {
    if (examples === undefined) view.append(schemaTree(schema, components.schemas));
    const shown = example ?? components.examples[Object.keys(examples ?? {})[0] ?? ""]?.value;
    if (shown === undefined) continue;
    const text = JSON.stringify(shown, null, 2);
    view.append(element("pre", { tabindex: "0", "aria-label": `Example of ${status}` }, text));
  }
  return view;
}
