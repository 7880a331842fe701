import { text } from "./text.ts";

const MAX_NAME = 191;

/** The name of a record, as people choose it. */
export const recordName = text(MAX_NAME, 1);
