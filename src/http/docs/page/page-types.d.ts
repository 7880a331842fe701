// The server reads the files of the page as text.
declare module "*.htm" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.js" {
  const text: string;
  export default text;
}

// The part of Swagger UI that page.js uses.

/** Operations by their tags, as Swagger UI keeps them (Immutable.js). */
interface Tags {
  map(change: (tag: Tag) => Tag): Tags;
  filter(keeps: (tag: Tag) => boolean): Tags;
}

interface Tag {
  get(name: "operations"): Operations;
  set(name: "operations", operations: Operations): Tag;
}

interface Operations {
  filter(keeps: (one: Placed) => boolean): Operations;
  readonly size: number;
}

interface Placed {
  get(name: "operation"): { get(name: "summary"): string };
  get(name: "method" | "path"): string;
}

type Component = (props: object) => unknown;

type CreateElement = (type: unknown, props?: object, ...children: unknown[]) => unknown;

interface SwaggerSystem {
  readonly React: { readonly createElement: CreateElement };
  readonly layoutActions: { show(path: readonly string[], isShown: boolean): void };
}

declare function SwaggerUIBundle(options: Readonly<Record<string, unknown>>): SwaggerSystem;
