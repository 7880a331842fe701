import { PayloadDamaged } from "../../domain/errors.ts";
import { isStored, type Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Part } from "../reply.ts";

/** The bytes of a payload as a part of an answer. Throws PAYLOAD_DAMAGED. */
export function payloadPart(engine: Engine, payload: Payload): Part | Promise<Part> {
  return isStored(payload) ? engine.store.readPayload(payload) : payload;
}

/** The same for an optional part: if it is damaged, this is logged, and `otherwise` is the answer. */
export async function payloadPartOr<Otherwise>(
  engine: Engine,
  payload: Payload,
  otherwise: Otherwise,
): Promise<Part | Otherwise> {
  try {
    return await payloadPart(engine, payload);
  } catch (error) {
    if (!(error instanceof PayloadDamaged)) throw error;
    engine.log.error("a stored payload is damaged", { where: error.where });
    return otherwise;
  }
}

/** A chunk as a part of an answer. A damaged one is replaced by a note, so that the others are not lost. */
export function chunkPart(engine: Engine, chunk: Payload, number: number): Promise<Part> {
  return payloadPartOr(
    engine,
    chunk,
    `{"error":"chunk ${number} of this job is damaged and cannot be read"}`,
  );
}

/** The error of a job, as JSON. */
export function errorPart(engine: Engine, error: Payload): Promise<Part> {
  return payloadPartOr(engine, error, '"the stored error of this job is damaged and cannot be read"');
}

/** The bytes of a payload. Throws PAYLOAD_DAMAGED. */
export async function payloadBytes(engine: Engine, payload: Payload): Promise<Uint8Array> {
  const part = await payloadPart(engine, payload);
  return typeof part === "string" ? Buffer.from(part) : part;
}

/** Members of an answer, each as JSON in parts. An optional member may be undefined. */
type PartsOf<Answer, Name extends keyof Answer> = {
  readonly [Each in Name]: undefined extends Answer[Each] ? readonly Part[] | undefined : readonly Part[];
};

/** The JSON of an answer: the members of `object`, then `members`, whose values are already JSON. */
export function objectParts<Answer extends object, Name extends keyof Answer & string>(
  object: Omit<Answer, Name>,
  members: PartsOf<Answer, Name>,
): Part[] {
  const parts: Part[] = [JSON.stringify(object).slice(0, -1)];
  for (const [name, value] of Object.entries<readonly Part[] | undefined>(members)) {
    if (value !== undefined) parts.push(`,"${name}":`, ...value);
  }
  parts.push("}");
  return parts;
}
