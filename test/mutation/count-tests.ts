import { afterAll, afterEach, beforeEach } from "bun:test";

// Loaded before a test file, to know which of its tests comes to which mutant.
globalThis.currentTest = 0;
beforeEach(() => {
  globalThis.currentTest = (globalThis.currentTest ?? 0) + 1;
});
afterEach(() => globalThis.noteReached?.());
afterAll(() => globalThis.noteReached?.());
