import type { Manifest } from "../../read-backup.ts";

const MB = 1_048_576;

/** What people are told of a backup: from when it is, what is in it, and what is not. */
export function backupLines({ instant, version, counts, files, damaged, note }: Manifest): string[] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const jobs = Object.entries(counts)
    .filter(([kind]) => kind.startsWith("jobs "))
    .reduce((sum, [, count]) => sum + count, 0);
  const [first] = damaged;
  return [
    `  instant   ${instant}`,
    `  version   ${version}`,
    `  jobs      ${jobs}`,
    `  size      ${(bytes / MB).toFixed(1)} MB in ${files.length} files`,
    note,
    ...(first === undefined
      ? []
      : [
          `${damaged.length} payloads were damaged or missing before the backup (${first}). ` +
            "forebay doctor names their jobs.",
        ]),
  ];
}
