import { fileURLToPath } from "node:url";

/** A file that the bundler makes of the console: a script or a style sheet. */
export interface ConsoleFile {
  /** Contains a hash of the content, so it never stands for another one. */
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

/**
 * Bundles the console from its sources and the packages that they use, in about 50 ms and outside the main
 * thread (decision 0029). `publicPath` is where the files are served. The build of the executable calls this,
 * and replaces this module by one that has the result (decision 0034).
 */
export async function consoleFiles(publicPath: string): Promise<readonly ConsoleFile[]> {
  const sources = fileURLToPath(new URL("../../../console/src/", import.meta.url));
  const { outputs } = await Bun.build({
    entrypoints: [`${sources}main.tsx`, `${sources}style/console.css`],
    target: "browser",
    splitting: true,
    minify: true,
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    define: { "process.env.NODE_ENV": '"production"' },
    publicPath,
    // Without an extension they are ids, as all parameters of a path.
    naming: { entry: "[name]-[hash]", chunk: "[name]-[hash]", asset: "[name]-[hash]" },
  });
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.path.replace("./", ""),
      mediaType: output.type,
      text: await output.text(),
    })),
  );
}
