// @ts-check

/** @typedef {{ url: string, method: string, headers?: Record<string, string>, body?: unknown }} Sent */

/**
 * The call for a terminal, with `$FOREBAY_KEY` in place of the key.
 * @param {Sent} sent
 */
export function curlLine({ url, method, headers = {}, body }) {
  const lines = Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === "authorization"
      ? `-H "${name}: Bearer $FOREBAY_KEY"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const data =
    body === undefined ? [] : [`-d ${quoted(typeof body === "string" ? body : JSON.stringify(body))}`];
  return [`curl -s -X ${method} ${quoted(url)}`, ...lines, ...data].join(" \\\n  ");
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
