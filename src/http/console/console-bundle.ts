import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

/** A file of the console as it is served. */
export interface ConsoleAsset {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The console, ready to be served. */
export interface ConsoleBundle {
  /** By name; a name tells the content, and never stands for another one. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
  /** Names of the assets that its frame loads. */
  readonly script: string;
  readonly style: string;
}

/** Where assets are served. */
export const ASSETS = "/console/assets/";

const SOURCES = fileURLToPath(new URL("../../../console/src/", import.meta.url));

/**
 * Makes the console of its sources, with what it takes from packages, in about 50 ms and beside the main
 * thread: nothing is built before, so nothing that is served is ever old (decision 0029).
 */
export async function bundleConsole(): Promise<ConsoleBundle> {
  const { outputs } = await Bun.build({
    entrypoints: [`${SOURCES}main.tsx`, `${SOURCES}style/console.css`],
    target: "browser",
    splitting: true,
    minify: true,
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    define: { "process.env.NODE_ENV": '"production"' },
    publicPath: ASSETS,
    // Without an ending they are ids, as all that stands in a path.
    naming: { entry: "[name]-[hash]", chunk: "[name]-[hash]", asset: "[name]-[hash]" },
  });
  const named = await Promise.all(
    outputs.map(async (output) => {
      const bytes = new Uint8Array(await output.arrayBuffer());
      const name = output.path.replace("./", "");
      const asset = { mediaType: output.type, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
      return { name, asset, kind: output.kind };
    }),
  );
  const nameOf = (beginning: string): string => {
    const found = named.find(({ name }) => name.startsWith(`${beginning}-`));
    if (found === undefined) throw new Error(`the console has no ${beginning}`);
    return found.name;
  };
  return {
    assets: new Map(named.map(({ name, asset }) => [name, asset])),
    script: nameOf("main"),
    style: nameOf("console"),
  };
}
