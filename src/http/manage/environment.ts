import { z } from "zod";
import { text } from "./text.ts";

/** By these a worker finds its endpoint and shows who it is: they are the server's to set (threat T3). */
const TAKEN_VARIABLES =
  /^(RUNPOD_(AI_API_KEY|POD_ID|ENDPOINT_ID|PING_INTERVAL|WEBHOOK_.*)|FOREBAY_(WORKER_TOKEN|EXCHANGE_URL))$/;

/** Variables that the author of a template, or the owner of an endpoint, chooses for its workers. */
export const environment = z.record(
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not a name of an environment variable")
    .refine((name) => !TAKEN_VARIABLES.test(name), "is set by the server"),
  text(131_072),
);
