import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyInto, copyProgram, libraries } from "./copied-programs.ts";
import { prepareWheels, pythonProgram } from "./python.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const BUSYBOX = "/bin/busybox";

/** An engine that takes an image as the files of its root. */
export interface ImageStore {
  import(directory: string, image: string, ...changes: string[]): Promise<void>;
}

/** Is there what images are made of. */
export function hasBusybox(): boolean {
  return existsSync(BUSYBOX) && libraries(BUSYBOX).length === 0;
}

const APPLETS = "sh sleep cat echo head tail env ls mkdir touch id true yes printf dd grep test".split(" ");

/** An image with a shell and a few programs, and a command of its own. */
export async function importShellImage(host: ImageStore, image: string): Promise<void> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  await host.import(
    root.path,
    image,
    "WORKDIR /root",
    'CMD ["sh","-c","echo command of the image: $0 $@","a","b"]',
  );
}

/** A root file system with a shell, to which more can be added. */
export function makeRoot(root: string): void {
  for (const directory of ["bin", "tmp", "etc", "root"]) mkdirSync(join(root, directory));
  cpSync(BUSYBOX, join(root, "bin/busybox"), { dereference: true });
  for (const applet of APPLETS) symlinkSync("busybox", join(root, "bin", applet));
}

const ROOT = join(import.meta.dir, "../..");

/** An image with our library for TypeScript and a worker, the one of test/docker/workers if none is named. */
export async function importTypeScriptImage(
  host: ImageStore,
  image: string,
  worker = "test/docker/workers/worker.ts",
): Promise<void> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  copyProgram(root.path, process.execPath, "/bin/bun");
  const library = "app/node_modules/@forebay/worker";
  for (const part of ["src", "package.json"])
    copyInto(root.path, join(ROOT, "sdk", part), join(library, part));
  copyInto(root.path, join(ROOT, worker), "app/worker.ts");
  await host.import(root.path, image, "WORKDIR /app", 'CMD ["/bin/bun","/app/worker.ts"]');
}

/** An image with Python as it is installed here, the unmodified public SDK, and a worker that uses it. */
export async function importPythonImage(host: ImageStore, image: string): Promise<void> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  const { program, base, packages } = copyPython(root.path, (packages) => [packages]);
  copyInto(root.path, join(ROOT, "test/docker/workers/worker.py"), "app/worker.py");
  const paths = [`ENV PYTHONHOME=${base}`, `ENV PYTHONPATH=${packages}`, "ENV HOME=/root"];
  await host.import(root.path, image, "WORKDIR /app", ...paths, `CMD ["${program}","/app/worker.py"]`);
}

/** Stands in for the public image of Python. Its `pip` installs the packages of our tests, from files. */
export async function importBarePythonImage(host: ImageStore, image: string): Promise<void> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  const { program, base, packages } = copyPython(root.path, (packages) => [join(packages, "pip")]);
  symlinkSync(program, join(root.path, "bin/python"));
  writeFileSync(join(root.path, "bin/pip"), '#!/bin/sh\nexec python -m pip "$@"\n', { mode: 0o755 });
  copyInto(root.path, prepareWheels(), "wheels");
  const variables = [
    `PYTHONHOME=${base}`,
    `PYTHONPATH=${packages}`,
    "HOME=/root",
    "PIP_NO_INDEX=true",
    "PIP_FIND_LINKS=/wheels",
    "PIP_NO_COMPILE=true",
    "PIP_DISABLE_PIP_VERSION_CHECK=true",
  ];
  await host.import(root.path, image, ...variables.map((one) => `ENV ${one}`));
}

interface PythonPlaces {
  readonly program: string;
  readonly base: string;
  readonly standard: string;
  readonly packages: string;
}

/** Copies the interpreter, its standard library, and what is chosen of the directory of our packages. */
function copyPython(root: string, chosen: (packages: string) => readonly string[]): PythonPlaces {
  const places: PythonPlaces = JSON.parse(
    spawnSync(pythonProgram(), ["-c", PYTHON_PLACES], { encoding: "utf8" }).stdout,
  );
  const { program, standard, packages } = places;
  copyProgram(root, program);
  // Neither what is installed for the interpreter itself, nor its tests, nor descriptions of cloud services.
  const names = ["site-packages", "dist-packages", "test", "EXTERNALLY-MANAGED"];
  const left = names.map((name) => join(standard, name));
  const excludes = [...left, join(packages, "botocore/data")].map((path) => `--exclude=${path.slice(1)}`);
  const copied = [standard, ...chosen(packages)].map((path) => path.slice(1));
  const tar = spawnSync("tar", ["-C", "/", "-ch", ...excludes, "-f", "-", ...copied], { maxBuffer: 1e9 });
  spawnSync("tar", ["-C", root, "-x"], { input: tar.stdout });
  // Packages that are installed later need their libraries too.
  const modules = [...modulesIn(root).map((path) => path.slice(root.length)), ...modulesIn(packages)];
  for (const library of libraries(...modules)) copyInto(root, library);
  return places;
}

const PYTHON_PLACES = `
import json, os, sys, sysconfig
print(json.dumps({
  "program": os.path.realpath(sys.executable),
  "base": sys.base_prefix,
  "standard": sysconfig.get_path("stdlib"),
  "packages": sysconfig.get_path("purelib"),
}))`;

/** The compiled modules below a directory. */
function modulesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.so(\.|$)/.test(name))
    .map((name) => join(directory, name));
}

/** The shell and its programs as a tar. */
export async function shellLayer(): Promise<Uint8Array<ArrayBuffer>> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  return new Uint8Array(spawnSync("tar", ["-C", root.path, "-c", "."], { maxBuffer: 1e8 }).stdout);
}
