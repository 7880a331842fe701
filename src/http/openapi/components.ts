import { z } from "zod";

/** JSON Schema of the dialect that OpenAPI 3.1 has (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Which side of a schema: what is sent to the server, or what it answers. */
type Side = "input" | "output";

/** The named schemas of a document, gathered while its operations are written. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema; those in it that have an id, and itself if it has one, as references. */
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

/** With references as a document has them. */
function referring(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
