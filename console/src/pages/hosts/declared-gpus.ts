/** A GPU as the API takes it. The server reports what is wrong with it. */
interface DeclaredGpu {
  readonly uuid: string;
  readonly name: string;
  readonly memoryInMb?: number;
}

/**
 * The GPUs of a text: lines of `nvidia-smi -L`, or `uuid=model` with `:MB` behind it if the memory is given, as
 * `forebay hosts create --gpu` takes them.
 */
export function gpusOf(text: string): readonly DeclaredGpu[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(gpuOf);
}

function gpuOf(line: string): DeclaredGpu {
  const [, listed, id] = LISTED.exec(line) ?? [];
  if (listed !== undefined && id !== undefined) return { uuid: id, name: listed };
  const [, uuid = line, name = "", memory] = /^([^=]*)=(.*?)(?::([0-9]+))?$/.exec(line) ?? [];
  const declared = { uuid: uuid.trim(), name: name.trim() };
  return memory === undefined ? declared : { ...declared, memoryInMb: Number(memory) };
}

/** `GPU 0: NVIDIA L40S (UUID: GPU-5c89852c-…)`. */
const LISTED = /^GPU [0-9]+: (.+) \(UUID: ([^)]+)\)$/;
