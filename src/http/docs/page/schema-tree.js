// @ts-check
import { element } from "./element.js";

/** @typedef {import("./openapi.d.ts").Schema} Schema */
/** @typedef {Readonly<Record<string, Schema>>} Named */

/**
 * A schema as a tree of its members; what has a name is shown where it stands.
 * @param {Schema} schema
 * @param {Named} named
 * @returns {HTMLElement}
 */
export function schemaTree(schema, named) {
  const shown = resolved(schema, named);
  const list = element("ul", { class: "tree" });
  const members = membersOf(shown, named);
  if (members.length === 0) list.append(element("li", {}, typeText(shown, named)));
  else list.append(...members);
  if (shown.type === "array") {
    return element("div", {}, element("p", { class: "soft" }, typeText(shown, named)), list);
  }
  return list;
}

/** @param {Schema} schema @param {Named} named @returns {Schema} */
function resolved(schema, named) {
  if (schema.$ref !== undefined) return resolved(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named);
  const other = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (other.length === 1 && other[0]) return { ...resolved(other[0], named), ...described(schema) };
  const [first] = schema.allOf ?? [];
  return first === undefined ? schema : { ...resolved(first, named), ...described(schema) };
}

/** @param {Schema} schema @returns {Schema} */
function described({ description, default: byDefault }) {
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
}

/** @param {Schema} schema @param {Named} named @returns {HTMLElement[]} */
function membersOf(schema, named) {
  if (schema.items !== undefined) return membersOf(resolved(schema.items, named), named);
  return Object.entries(schema.properties ?? {}).map(([name, member]) =>
    memberItem(name, resolved(member, named), schema.required?.includes(name) ?? false, named),
  );
}

/** @param {string} name @param {Schema} schema @param {boolean} isRequired @param {Named} named */
function memberItem(name, schema, isRequired, named) {
  const item = element("li", {}, element("code", { class: "member" }, name), " ");
  item.append(element("span", { class: "type mono" }, typeText(schema, named)), " ");
  if (isRequired) item.append(element("span", { class: "must" }, "required"), " ");
  const bounds = boundsText(schema);
  if (bounds !== "") item.append(element("span", { class: "soft" }, bounds));
  if (schema.description !== undefined) item.append(element("p", { class: "soft" }, schema.description));
  const members = membersOf(schema, named);
  if (members.length > 0) item.append(element("ul", {}, ...members));
  return item;
}

/** @param {Schema} schema @param {Named} named @returns {string} */
function typeText(schema, named) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.items !== undefined) return `array of ${typeText(resolved(schema.items, named), named)}`;
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => typeText(resolved(one, named), named)).join(" | ");
  }
  const values = schema.additionalProperties;
  if (typeof values === "object" && values.type !== undefined) return `map of ${typeText(values, named)}`;
  const types = [schema.type ?? "any JSON"].flat();
  return types.filter((type) => type !== "null").join(" | ");
}

const FARTHEST = Number.MAX_SAFE_INTEGER;

/** @param {Schema} schema @returns {string} */
function boundsText({ minimum, maximum, minLength, maxLength, minItems, maxItems, default: byDefault }) {
  const texts = [
    rangeText(minimum === -FARTHEST ? undefined : minimum, maximum === FARTHEST ? undefined : maximum, ""),
    rangeText(minLength, maxLength, " characters"),
    rangeText(minItems, maxItems, " items"),
    byDefault === undefined ? "" : `default ${JSON.stringify(byDefault)}`,
  ];
  return texts.filter((text) => text !== "").join(", ");
}

/** @param {number | undefined} min @param {number | undefined} max @param {string} unit */
function rangeText(min, max, unit) {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return `at least ${min}${unit}`;
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`;
}
