import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { OPERATIONS } from "../../src/http/operations.ts";

/** An answer as it is held against the document. */
export interface Answered {
  readonly status: number;
  readonly headers: Pick<ReadonlyMap<string, string> | Headers, "get" | "has">;
  /** The body as JSON; undefined where there is none. */
  readonly json: unknown;
}

/** What an OpenAPI document says of an operation, as far as the tests ask for it. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { name: string; in: string; schema: Record<string, unknown> }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

interface DocumentedAnswer {
  readonly headers?: Readonly<Record<string, { $ref?: string; schema?: object; required?: boolean }>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

/** An OpenAPI document, and answers held against it. */
export class OpenApiChecks {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into documents of any shape
  readonly document: any;
  readonly operations: readonly DocumentedOperation[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(dialect: "spec" | "sdk") {
    this.document = JSON.parse(JSON.stringify(openApiDocument(OPERATIONS, dialect)));
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.document, "openapi");
    this.operations = Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, DocumentedOperation>)
        .filter(([method]) => method !== "parameters")
        .map(([method, operation]) => Object.assign({}, operation, { method: method.toUpperCase(), path })),
    );
  }

  find(method: string, path: string): DocumentedOperation | undefined {
    return this.operations.find((one) => one.method === method && one.path === path);
  }

  /** What of an answer the document does not say; empty when all is well. */
  faultsOf(operation: DocumentedOperation, { status, headers, json }: Answered): string[] {
    const { method, path, responses } = operation;
    const documented = responses[status];
    if (documented === undefined) return [`${method} ${path} is not documented to answer ${status}`];
    const given = headers.get("content-type");
    // Those that can be missing are those of JSON.
    const wanted = Object.entries(documented.headers ?? {}).filter(
      ([, { required }]) => required !== false || given === "application/json",
    );
    const missing = wanted
      .filter(([name]) => !headers.has(name.toLowerCase()))
      .map(([name]) => `${status} without ${name}`);
    const mediaTypes = Object.keys(documented.content ?? {});
    if (method === "HEAD") return missing;
    if (mediaTypes.length === 0) return json === undefined ? missing : [...missing, `${status} has a body`];
    const mediaType = given?.split(";")[0] ?? "";
    if (!mediaTypes.includes(mediaType)) return [...missing, `${status} is sent as ${given}`];
    if (mediaType !== "application/json") return missing;
    const at = `#/paths/${pointed(path)}/${method.toLowerCase()}/responses/${status}`;
    return [...missing, ...this.bodyFaults(`${at}/content/application~1json/schema`, json)];
  }

  /** What in `value` is against the schema at this place of the document. */
  bodyFaults(pointer: string, value: unknown): string[] {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `openapi${pointer}` });
      this.#validators.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** The place of an operation's body schema. */
  bodyPointer({ path, method }: DocumentedOperation): string {
    const at = `#/paths/${pointed(path)}/${method.toLowerCase()}`;
    return `${at}/requestBody/content/application~1json/schema`;
  }
}

/** RFC 6901, in the fragment of an address. */
function pointed(path: string): string {
  return encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
}
