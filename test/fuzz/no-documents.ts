import { nested } from "./random-json.ts";

/** Bodies that are no JSON object, whatever the operation. */
export const NO_DOCUMENTS: readonly (string | Uint8Array)[] = [
  "{",
  '{"input":{}',
  '{"input":{}}x',
  '{"input":{}}{}',
  "{'input':{}}",
  '{"input":{},}',
  '{"input":NaN}',
  '{"input":{}/**/}',
  '{"input":{"a":01}}',
  '{"input":{"a":"\\x"}}',
  '{"input":{"a":"\n"}}',
  "input=%7B%7D",
  "[]",
  "null",
  "5",
  '"x"',
  nested(513),
  "[".repeat(100_000),
  `{"input":${nested(512)}}`,
  Buffer.from('\ufeff\ufeff{"input":{}}'),
  Buffer.from('{"input":{}}', "utf16le"),
  Buffer.from([...Buffer.from('{"input":{"a":"'), 0xff, ...Buffer.from('"}}')]),
  Buffer.from([...Buffer.from('{"input":{"a":"'), 0xc0, 0x80, ...Buffer.from('"}}')]),
  Buffer.from([...Buffer.from('{"input":{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}}')]),
];
