import { count, list, longText, type Members, pairs, text, words, yes } from "../manage/members.ts";

/** The settings of a template, as flags (docs/api.md, 2.8). */
const CHANGED = {
  disk: count("containerDiskInGb", "<GB>", "the disk of a container; default: 50"),
  volume: count("volumeInGb", "<GB>", "the volume of an endpoint; default: 20"),
  "volume-mount-path": text("volumeMountPath", "<path>", "where the volume is; default: /workspace"),
  "registry-login": text("containerRegistryAuthId", "<id>", "the login to pull the image; '' for none"),
  entrypoint: words("dockerEntrypoint", "replaces the entrypoint of the image"),
  "start-command": words("dockerStartCmd", "replaces the command of the image"),
  env: pairs("env", "NAME=value", "an environment variable of the workers"),
  port: list("ports", "8888/http", "a port to publish"),
  readme: longText("readme", "<text>", "Markdown, or @file with it"),
  public: yes("isPublic", "every account can see it and create endpoints from it"),
  private: yes("isPublic", "only your own account can", false),
  platform: yes("isPlatform", "a template of the operator; requires the scope admin"),
} as const satisfies Members;

export const CREATE_MEMBERS = {
  image: text("imageName", "<image>", "the image, or process/<command>; required"),
  category: text("category", "<category>", "NVIDIA, AMD or CPU; default: NVIDIA"),
  serverless: yes("isServerless", "stored, without an effect"),
  ...CHANGED,
} as const satisfies Members;

export const UPDATE_MEMBERS = {
  name: text("name", "<name>", "another name"),
  image: text("imageName", "<image>", "another image: a new tag, or a digest"),
  ...CHANGED,
} as const satisfies Members;
