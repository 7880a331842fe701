/** A node of a parsed file. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The node that a member of another one holds. */
export function nodeAt(node: Node | undefined, name: string): Node | undefined {
  const value = node?.[name];
  return isNode(value) ? value : undefined;
}

export function nodesAt(node: Node | undefined, name: string): Node[] {
  const value = node?.[name];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function textAt(node: Node | undefined, name: string): string | undefined {
  const value = node?.[name];
  return typeof value === "string" ? value : undefined;
}

/** Sees a node and all nodes in it. */
export function walk(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const child of Object.values(node)) {
    for (const part of Array.isArray(child) ? child : [child]) if (isNode(part)) walk(part, see);
  }
}

/** The text of a piece of a template. */
export function cookedOf(quasi: Node): string {
  const value = quasi["value"];
  const cooked = typeof value === "object" && value !== null && "cooked" in value ? value.cooked : "";
  return typeof cooked === "string" ? cooked : "";
}
