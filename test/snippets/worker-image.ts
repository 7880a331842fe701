import { spawnSync } from "node:child_process";
import { importTypeScriptImage } from "../support/worker-images.ts";

// Makes an image with the example worker in the engine of a page: the argument is its name.
const [, , image = ""] = process.argv;

const engine = {
  async import(directory: string, name: string, ...changes: string[]): Promise<void> {
    const flags = changes.map((change) => `--change='${change}'`).join(" ");
    const script = `tar -C "${directory}" -c . | docker import ${flags} - ${name}`;
    const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", script], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  },
};

await importTypeScriptImage(engine, image, "examples/hello/worker.ts");
