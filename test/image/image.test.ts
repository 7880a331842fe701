import { afterAll, beforeAll } from "bun:test";
import { BuiltImage } from "../support/built-image.ts";
import { composeFiles } from "./compose.ts";
import { oneContainer } from "./one-container.ts";

let image: BuiltImage;

beforeAll(async () => {
  image = await BuiltImage.build();
}, 300_000);
afterAll(() => image[Symbol.asyncDispose](), 60_000);

oneContainer(() => image);
composeFiles(() => image);
