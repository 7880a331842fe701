import { gzipSync } from "node:zlib";
import type { ConsoleFile } from "./console-files.ts";

/** A file of the console as it is served. */
export interface ConsoleAsset {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The console, ready to be served. */
export interface ConsoleBundle {
  /** By name. A name contains a hash of the content, so it never stands for another one. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
  /** Names of the assets that its frame loads. */
  readonly script: string;
  readonly style: string;
}

/** Where assets are served. */
export const ASSETS = "/console/assets/";

/** Finds the script and the style among the files, and compresses each file for browsers that support it. */
export function bundleOf(files: readonly ConsoleFile[]): ConsoleBundle {
  const nameOf = (beginning: string): string => {
    const found = files.find(({ name }) => name.startsWith(`${beginning}-`));
    if (found === undefined) throw new Error(`the console has no ${beginning}`);
    return found.name;
  };
  return {
    assets: new Map(files.map(({ name, mediaType, text }) => [name, assetOf(mediaType, text)])),
    script: nameOf("main"),
    style: nameOf("console"),
  };
}

function assetOf(mediaType: string, text: string): ConsoleAsset {
  const bytes = new TextEncoder().encode(text);
  return { mediaType, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
}
