import { isStored, type Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Part } from "../reply.ts";

/** The bytes of a payload as a part of an answer. */
export function payloadPart(engine: Engine, payload: Payload): Part | Promise<Part> {
  return isStored(payload) ? engine.store.readPayload(payload) : payload;
}
