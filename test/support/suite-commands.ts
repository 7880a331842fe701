// What the commands of suites are made of.

export const tool = (name: string): string => `node_modules/.bin/${name}`;
/** Tests of processes wait for what they start; each wait has a limit of its own. */
export const PROCESS_LIMIT = "--timeout=90000";
/** Some of these send and read tens of megabytes. */
export const HTTP_LIMIT = "--timeout=30000";
export const bunTest = (...paths: string[]): string[] => [process.execPath, "test", "--isolate", ...paths];

/** Lists of files in a process each, at the same time. */
export const sideBySide = (limit: string, lists: readonly (readonly string[])[]): string[] => {
  const words = lists.flatMap((files, index) => (index === 0 ? files : ["--", ...files]));
  return [process.execPath, "test/support/side-by-side.ts", limit, ...words];
};
