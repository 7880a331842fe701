/**
 * Why an engine could make nothing of this image name, in one sentence; undefined when it can. The grammar is
 * that of the distribution project (reference.go), which is stricter than the one of templates.
 */
export function imageNameRefusal(imageName: string): string | undefined {
  if (REFERENCE.test(imageName)) return undefined;
  return (
    `imageName: ${imageName} names no image of a registry. ` +
    "Write [host[:port]/]path[:tag][@digest], the path in lower case, such as ghcr.io/team/worker:1.2."
  );
}

const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const HOST = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\\.?)+";
const REFERENCE = new RegExp(
  `^(?:${HOST}(?::[0-9]+)?/)?${PART}(?:/${PART})*(?::[\\w][\\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);
