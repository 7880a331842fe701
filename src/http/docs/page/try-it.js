// @ts-check
import { element } from "./element.js";

/** @typedef {import("./openapi.d.ts").Placed} Placed */
/** @typedef {import("./openapi.d.ts").Parameter} Parameter */

/**
 * A form that sends a call to this server, and the same call for the terminal.
 * @param {Placed} placed
 * @param {string} base
 * @param {() => string} key
 * @returns {HTMLElement}
 */
export function tryIt({ method, path, operation, parameters }, base, key) {
  const inputs = parameters.map((parameter) => ({ parameter, input: inputFor(parameter) }));
  const body = bodyInput(operation);
  const curl = element("pre", { tabindex: "0", "aria-label": "The call for the terminal" });
  const outcome = element("div", { role: "status", class: "outcome" });
  const form = element("form", { class: "try" });

  /** @returns {{ url: string, headers: Record<string, string>, body: string | undefined }} */
  function call() {
    const query = new URLSearchParams();
    /** @type {Record<string, string>} */
    const headers = {};
    let filled = path;
    for (const { parameter, input } of inputs) {
      const { name, in: place } = parameter;
      if (place === "path")
        filled = filled.replace(`{${name}}`, encodeURIComponent(input.value) || `{${name}}`);
      else if (input.value === "") continue;
      else if (place === "query") query.set(name, input.value);
      else headers[name] = input.value;
    }
    if (operation.security.length > 0) headers["Authorization"] = `Bearer ${key()}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const search = query.size === 0 ? "" : `?${query}`;
    return { url: `${base}${filled}${search}`, headers, body: body?.value };
  }

  function showCurl() {
    const { url, headers, body } = call();
    const shown = {
      ...headers,
      ...(headers["Authorization"] ? { Authorization: "Bearer $FOREBAY_KEY" } : {}),
    };
    const parts = [`curl -s -X ${method} "${location.origin}${url}"`];
    for (const [name, value] of Object.entries(shown)) parts.push(`-H "${name}: ${value}"`);
    if (body !== undefined) parts.push(`-d '${body.replaceAll("'", String.raw`'\''`)}'`);
    curl.textContent = parts.join(" \\\n  ");
  }

  async function send() {
    outcome.replaceChildren(element("p", { class: "soft" }, "Sent; waiting for the answer…"));
    const { url, headers, body } = call();
    const startedAt = performance.now();
    try {
      const answer = await fetch(`${location.origin}${url}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      outcome.replaceChildren(...answerView(answer, text, performance.now() - startedAt));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      outcome.replaceChildren(element("p", { class: "bad" }, `No answer: ${error.message}`));
    }
  }

  form.addEventListener("input", showCurl);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    showCurl();
    void send();
  });
  const fields = inputs.map(({ parameter, input }) => field(parameter, input));
  form.append(element("div", { class: "fields" }, ...fields));
  if (body !== undefined) form.append(element("label", {}, element("span", {}, "Body"), body));
  const copy = element("button", { type: "button" }, "Copy curl");
  copy.addEventListener("click", () => {
    void navigator.clipboard.writeText(curl.textContent ?? "");
    copy.textContent = "Copied";
  });
  form.append(element("div", { class: "buttons" }, element("button", { class: "send" }, "Send"), copy));
  showCurl();
  return element("div", {}, form, curl, outcome);
}

/** @param {Parameter} parameter @returns {HTMLInputElement | HTMLSelectElement} */
function inputFor({ name, schema, required = false }) {
  const attributes = { name, ...(required ? { required: "" } : {}) };
  if (schema.enum !== undefined) {
    const options = ["", ...schema.enum.map(String)].map((value) => element("option", { value }, value));
    return element("select", attributes, ...options);
  }
  return element("input", { ...attributes, autocomplete: "off", spellcheck: "false" });
}

/** @param {Parameter} parameter @param {HTMLElement} input */
function field({ name, in: place, required = false, description = "" }, input) {
  const mark = required ? element("span", { class: "must" }, "required") : "";
  const label = element(
    "label",
    {},
    element("span", {}, element("code", {}, name), ` ${place} `, mark),
    input,
  );
  if (description !== "") label.append(element("small", {}, description));
  return label;
}

/** @param {import("./openapi.d.ts").Operation} operation */
function bodyInput({ requestBody }) {
  const example = requestBody?.content["application/json"]?.example;
  if (example === undefined) return undefined;
  return element("textarea", { name: "body", spellcheck: "false" }, JSON.stringify(example, null, 2));
}

/** @param {Response} answer @param {string} text @param {number} took */
function answerView(answer, text, took) {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const kind = answer.ok ? "status good" : "status bad";
  return [
    element(
      "p",
      {},
      element("span", { class: kind }, String(answer.status)),
      element("span", { class: "soft" }, `in ${Math.round(took)} ms`),
    ),
    element("pre", { class: "body", tabindex: "0", "aria-label": "The body of the answer" }, pretty(text)),
    element("details", {}, element("summary", {}, "Headers"), element("pre", { tabindex: "0" }, headers)),
  ];
}

/** Spread out only where that changes no number: as it came otherwise. @param {string} text */
function pretty(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text === "" ? "(no body)" : text;
  }
}
