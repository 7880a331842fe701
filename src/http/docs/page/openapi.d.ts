/** As much of an OpenAPI document as the page reads. */
export interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  };
}

export type PathItem = { readonly parameters: readonly Parameter[] } & Readonly<Record<string, Operation>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly "x-rate-limit"?: {
    readonly requests: number;
    readonly within: number;
    readonly concurrent?: number;
    readonly perWorker: number;
  };
}

/** An operation and where it is. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Those of the path, then its own. */
  readonly parameters: readonly Parameter[];
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
