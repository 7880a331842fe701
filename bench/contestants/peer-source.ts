import { spawnSync } from "node:child_process";

/** A public repository at one commit. */
export interface PeerSource {
  readonly name: string;
  readonly commit: string;
}

export const WAVERLESS: PeerSource = {
  name: "garysng/waverless",
  commit: "a5e99eac065931ae9e019ff848962c392eb5f027",
};
export const PGMQ: PeerSource = {
  name: "pgmq/pgmq",
  commit: "c8575e31880ac0817b2c81d671e683bb1b54d882",
};

/**
 * Fetches it into an empty directory: from GitHub, or from the clone or mirror in the directory `from`. Why
 * it cannot, if so.
 */
export function checkOut({ name, commit }: PeerSource, directory: string, from?: string): string | undefined {
  const source = from ?? `https://github.com/${name}`;
  for (const command of [
    ["init", "--quiet"],
    ["fetch", "--quiet", "--depth", "1", source, commit],
    ["checkout", "--quiet", "FETCH_HEAD"],
  ]) {
    const { status, stderr, error } = spawnSync("git", command, {
      cwd: directory,
      encoding: "utf8",
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
      timeout: 120_000,
    });
    if (status === 0) continue;
    const reason = (error?.message ?? stderr.trim()).slice(-300);
    return `git could not fetch ${commit.slice(0, 9)} from ${source}: ${reason}`;
  }
  return undefined;
}
