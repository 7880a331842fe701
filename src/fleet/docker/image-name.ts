/**
 * Why an engine could make nothing of this image name, in one sentence; undefined when it can. The grammar is
 * that of the distribution project (reference.go), which is stricter than the one of templates.
 */
export function imageNameRefusal(imageName: string): string | undefined {
  if (REFERENCE.test(imageName) && !IMAGE_ID.test(imageName)) return undefined;
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

/** What an engine would take for the id of an image that it has, whoever has fetched that. */
const IMAGE_ID = /^(?:sha256(?::.*)?|[a-f0-9]{64})$/;

/**
 * The name with a tag or digest. Without one an engine would fetch all that there are, and take a name such
 * as `ab` for the begin of an id.
 */
export function taggedName(imageName: string): string {
  return /@|:[^/]*$/.test(imageName) ? imageName : `${imageName}:latest`;
}
