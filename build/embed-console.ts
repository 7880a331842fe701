import type { BunPlugin } from "bun";
import { ASSETS } from "../src/http/console/console-bundle.ts";
import { consoleFiles } from "../src/http/console/console-files.ts";

/** The console as it is now, in place of the module that bundles it from its sources. */
export async function embedConsole(): Promise<BunPlugin> {
  // Before the build: the bundler does one build at a time, and a plugin would wait for itself.
  const files = JSON.stringify(await consoleFiles(ASSETS));
  const contents = `const files = ${files};\nexport const consoleFiles = async () => files;\n`;
  return {
    name: "embed the console",
    setup(build) {
      const filter = /[\\/]src[\\/]http[\\/]console[\\/]console-files\.ts$/;
      build.onLoad({ filter }, () => ({ loader: "js", contents }));
    },
  };
}
