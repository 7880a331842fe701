import { spawnSync } from "node:child_process";
import { importBarePythonImage, importTypeScriptImage } from "../support/worker-images.ts";

// Makes an image in the engine of a page: the arguments are its kind and its name.
const [, , kind = "", image = ""] = process.argv;

const engine = {
  async import(directory: string, name: string, ...changes: string[]): Promise<void> {
    const flags = changes.map((change) => `--change='${change}'`).join(" ");
    const script = `tar -C "${directory}" -c . | docker import ${flags} - ${name}`;
    const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", script], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  },
};

if (kind === "worker") await importTypeScriptImage(engine, image, "examples/hello/worker.ts");
else if (kind === "python") await importBarePythonImage(engine, image);
else throw new Error(`unknown kind of image: ${kind}`);
