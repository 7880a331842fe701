import { fileURLToPath } from "node:url";
import { ASSETS, type ConsoleFile } from "./console-bundle.ts";

/**
 * Bundles the console from its sources and the packages that they use, in about 50 ms and outside the main
 * thread (decision 0029). The build of the executable calls this, and puts a module in place of this one that
 * has the result (decision 0034).
 */
export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  const sources = fileURLToPath(new URL("../../../console/src/", import.meta.url));
  const { outputs } = await Bun.build({
    entrypoints: [`${sources}main.tsx`, `${sources}style/console.css`],
    target: "browser",
    splitting: true,
    minify: true,
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    define: { "process.env.NODE_ENV": '"production"' },
    publicPath: ASSETS,
    // Without an ending they are ids, as all that stands in a path.
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
