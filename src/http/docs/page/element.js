// @ts-check

/**
 * An element with attributes and children; text is text, and never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Paragraphs with `code` and **bold**: as much of Markdown as the document has.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function paragraphs(text) {
  return text.split("\n\n").map((paragraph) => element("p", {}, ...inline(paragraph)));
}

/** @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.startsWith("`")) return element("code", {}, piece.slice(1, -1));
    if (piece.startsWith("**")) return element("strong", {}, piece.slice(2, -2));
    return piece;
  });
}
