import { z } from "zod";

/** JSON Schema in the dialect of OpenAPI 3.1 (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Which side of a schema: what clients send, or what the server answers. */
type Side = "input" | "output";

/** Collects the named schemas of a document while its operations are written. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema. It, or schemas in it, are references if they have an id. */
  add(schema: z.ZodType, side: Side): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io: side });
    for (const [name, named] of Object.entries($defs)) this.#keep(name, referring(named));
    return referring(root);
  }

  /** By their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keep(name: string, schema: JsonSchema): void {
    const before = this.#schemas.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    this.#schemas.set(name, schema);
  }
}

/** With the references in the form of the document. */
function referring(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
