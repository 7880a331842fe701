import { ForebayError } from "../domain/errors.ts";
import { isId } from "../domain/ids.ts";
import { methodNotAllowed } from "./errors-with-headers.ts";
import { unsupportedAt } from "./manage-v2/problem.ts";
import type { Call } from "./call.ts";
import type { Reply } from "./reply.ts";

/** What the router knows of an operation. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As `Description.path`. */
  readonly path: `/${string}`;
  /** Whether HEAD is answered as GET, without the body. */
  readonly takesHead: boolean;
  readonly handle: (call: Call) => Reply | Promise<Reply>;
}

export interface Match {
  readonly route: Route;
  readonly parameters: readonly string[];
}

/** Finds the route of a path. Throws ROUTE_NOT_FOUND and METHOD_NOT_ALLOWED. */
export type Router = (method: string, path: string) => Match;

/** Places of endpoints and GPU types. */
const TAKE_NAMES: ReadonlySet<string> = new Set(["{endpoint}", "{gpu}"]);

/** 191 characters of four bytes, each byte an escape of three characters. */
const LONGEST_NAME = 191 * 4 * 3;

interface Node {
  readonly literals: Map<string, Node>;
  any: Node | undefined;
  /** Whether `any` also takes a name. */
  takesName: boolean;
  /** Takes the rest of the path. */
  rest: Node | undefined;
  readonly routes: Map<string, Route>;
}

/**
 * Matches paths as the runtime gives them: it has resolved dot segments, also escaped ones (RFC 3986, 5.2.4),
 * and changed nothing else. The place of an endpoint takes a name with escapes. Elsewhere escapes match
 * nothing, because no id has such a character. A doubled slash matches nothing either. A trailing slash is
 * left out, but not of `/docs/`: that page names its files relative to its own path.
 */
export function router(routes: readonly Route[]): Router {
  const root = emptyNode();
  for (const route of routes) add(root, route);

  return (method, path) => {
    const parameters: string[] = [];
    let node = find(root, path, parameters);
    if (node === undefined && path.endsWith("/") && !path.endsWith("//") && path !== "/docs/") {
      parameters.length = 0;
      node = find(root, path.slice(0, -1), parameters);
    }
    if (node === undefined || node.routes.size === 0) throw notFound(path);
    const route = node.routes.get(method);
    if (route !== undefined) return { route, parameters };
    throw methodNotAllowed(method, [...node.routes.keys()]);
  };
}

function add(root: Node, route: Route): void {
  let node = root;
  for (const segment of route.path.split("/").slice(1)) {
    if (segment === "{route}") node = node.rest ??= emptyNode();
    else if (segment.startsWith("{")) {
      node.takesName ||= TAKE_NAMES.has(segment);
      node = node.any ??= emptyNode();
    } else {
      const next = node.literals.get(segment) ?? emptyNode();
      node.literals.set(segment, next);
      node = next;
    }
  }
  node.routes.set(route.method, route);
  if (route.takesHead) node.routes.set("HEAD", route);
}

function find(root: Node, path: string, parameters: string[]): Node | undefined {
  let node = root;
  for (let slash = path.indexOf("/"); slash !== -1;) {
    const next = path.indexOf("/", slash + 1);
    const segment = path.slice(slash + 1, next === -1 ? path.length : next);
    // Most places of ids have no literal next to them.
    const literal = node.literals.size === 0 ? undefined : node.literals.get(segment);
    if (literal !== undefined) node = literal;
    else if (node.rest !== undefined) {
      const rest = path.slice(slash + 1);
      if (rest.split("/").includes("")) return undefined;
      parameters.push(rest);
      return node.rest;
    } else {
      if (node.any === undefined) return undefined;
      const parameter = isId(segment) ? segment : node.takesName ? nameIn(segment) : undefined;
      if (parameter === undefined) return undefined;
      parameters.push(parameter);
      node = node.any;
    }
    slash = next;
  }
  return node;
}

/** Undefined if it is too long for a name, or its escapes are not UTF-8. */
function nameIn(segment: string): string | undefined {
  if (segment.length > LONGEST_NAME) return undefined;
  try {
    return decodeURIComponent(segment) || undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function emptyNode(): Node {
  return { literals: new Map(), any: undefined, takesName: false, rest: undefined, routes: new Map() };
}

function notFound(path: string): ForebayError {
  return (
    unsupportedAt(path) ?? new ForebayError("ROUTE_NOT_FOUND", `There is no path ${path.slice(0, 200)}.`)
  );
}
