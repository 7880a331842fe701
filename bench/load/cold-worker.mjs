// Answers when its handler began, in milliseconds of the wall clock.
import { start } from "@forebay/worker";

await start({ handler: () => Date.now() });
