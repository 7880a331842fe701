import { errorCode } from "../domain/errors.ts";

/**
 * The message for an error of the operating system or of SQLite about files, the disk or the network;
 * undefined for any other error, which is a fault of Forebay.
 */
export function systemSentence(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  if (code.startsWith("SQLITE_")) return sqliteSentence(code, error.message);
  const syscall = memberOf(error, "syscall");
  if (syscall === "listen") return LISTEN[code];
  const path = memberOf(error, "path");
  return path === undefined ? undefined : FILE[code]?.(path);
}

const CHOWN = "Run the command as its owner, or change its owner (chown).";

/** By error code, with the path of the file. */
const FILE: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist. Check the path.`,
  EACCES: (path) => `This user is not allowed to read or write ${path}. ${CHOWN}`,
  EPERM: (path) => `This user is not allowed to change ${path}. ${CHOWN}`,
  ENOTDIR: (path) => `A part of ${path} is a file and not a directory. Use another path.`,
  EISDIR: (path) => `${path} is a directory. Name a file in it.`,
  EEXIST: (path) => `${path} already exists as a file. Use another path, or move the file.`,
  EROFS: (path) =>
    `${path} is on a file system that is mounted read-only. Mount it for writing, or use another path.`,
  ENOSPC: (path) =>
    `There is no space left on the disk for ${path}. Free some space, then run the command again.`,
  EDQUOT: (path) => `The quota for ${path} is used up. Free some space, then run the command again.`,
  ELOOP: (path) => `${path} has too many symbolic links. Use another path.`,
  ENAMETOOLONG: (path) => `The path ${path} is too long. Use another path.`,
  EIO: (path) => `The disk cannot read or write ${path}. Check the disk (dmesg).`,
};

const NO_ADDRESS = "This machine does not have this address. Choose another one with --host.";

const LISTEN: Readonly<Record<string, string>> = {
  EACCES: "This user is not allowed to listen on ports below 1024. Choose another port with --port.",
  EADDRNOTAVAIL: NO_ADDRESS,
  EINVAL: NO_ADDRESS,
  ENOTFOUND: NO_ADDRESS,
};

function sqliteSentence(code: string, message: string): string | undefined {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return `The database is damaged (SQLite: ${message}). Restore a backup, and check the disk.`;
  }
  if (/^SQLITE_(CANTOPEN|PERM|READONLY|AUTH)/.test(code)) {
    return (
      `The database cannot be opened for reading and writing (SQLite: ${message}). ` +
      "Check that forebay.db and its directory belong to this user, and that the disk is mounted for writing."
    );
  }
  if (code.startsWith("SQLITE_FULL")) {
    return "The disk is full. Free some space, then run the command again.";
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return `The disk cannot read or write the database (SQLite: ${message}). Check the disk (dmesg).`;
  }
  return undefined;
}

function memberOf(error: Error, name: "path" | "syscall"): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : undefined;
}
