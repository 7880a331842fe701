import { count, list, longText, type Members, pairs, text, words, yes } from "../manage/members.ts";

/** The settings of a template, as flags (docs/api.md, 2.8). */
const CHANGED = {
  disk: count("containerDiskInGb", "<GB>", "the disk of a container; else 50"),
  volume: count("volumeInGb", "<GB>", "the volume of an endpoint; else 20"),
  "volume-mount-path": text("volumeMountPath", "<path>", "where the volume is; else /workspace"),
  "registry-login": text("containerRegistryAuthId", "<id>", "with what the image is pulled; '' for none"),
  entrypoint: words("dockerEntrypoint", "instead of the entrypoint of the image"),
  "start-command": words("dockerStartCmd", "instead of the command of the image"),
  env: pairs("env", "NAME=value", "a variable of the workers"),
  port: list("ports", "8888/http", "a port that is published"),
  readme: longText("readme", "<text>", "Markdown, or @file with it"),
  public: yes("isPublic", "every account may see it and make endpoints of it"),
  private: yes("isPublic", "the own account alone may", false),
  platform: yes("isPlatform", "it is one of the operator's; takes the scope admin"),
} as const satisfies Members;

export const CREATE_MEMBERS = {
  image: text("imageName", "<image>", "the image, or process/<command>; must be said"),
  category: text("category", "<category>", "NVIDIA, AMD or CPU; else NVIDIA"),
  serverless: yes("isServerless", "stored, and restricts nothing"),
  ...CHANGED,
} as const satisfies Members;

export const UPDATE_MEMBERS = {
  name: text("name", "<name>", "another name"),
  image: text("imageName", "<image>", "another image: a new tag, or a digest"),
  ...CHANGED,
} as const satisfies Members;
