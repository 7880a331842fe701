import { expect, test } from "bun:test";
import {
  descriptorsUsedUp,
  errorCode,
  ForebayError,
  isOutOfDescriptors,
  isTemporary,
  PayloadDamaged,
  resultExpired,
  storageFull,
  storageUnreadable,
  storeClosed,
  withPath,
} from "../../src/domain/errors.ts";

test("each error of the store has the code and status that clients know", () => {
  const cause = new Error("gone");
  const errors = [
    storeClosed(),
    storageFull(),
    descriptorsUsedUp(),
    new PayloadDamaged("file f"),
    storageUnreadable(cause),
    resultExpired(),
  ];
  expect(errors.map(({ code, status, name }) => `${name} ${code} ${status}`)).toEqual([
    "ForebayError SHUTTING_DOWN 503",
    "ForebayError STORAGE_FULL 503",
    "ForebayError OVERLOADED 503",
    "ForebayError PAYLOAD_DAMAGED 500",
    "ForebayError STORAGE_UNAVAILABLE 503",
    "ForebayError JOB_NOT_FOUND 404",
  ]);
  for (const { message, retryAfter } of errors) {
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(retryAfter).toBeUndefined();
  }
  expect(new PayloadDamaged("file f").where).toBe("file f");
  expect(storageUnreadable(cause).cause).toBe(cause);
  expect(new ForebayError("RATE_LIMITED", "Too many.", 7).retryAfter).toBe(7);
});

test("the code of an error of the system is read where it has one", () => {
  const withCode = (code: unknown): Error => Object.assign(new Error("x"), { code });
  expect(errorCode(withCode("ENOENT"))).toBe("ENOENT");
  for (const other of [withCode(7), new Error("x"), "ENOENT", null, undefined])
    expect(errorCode(other)).toBe("");
  for (const code of ["EMFILE", "ENFILE"]) expect(isOutOfDescriptors(withCode(code))).toBe(true);
  expect(isOutOfDescriptors(withCode("ENOENT"))).toBe(false);
  const temporary = "EMFILE ENFILE ENOMEM EIO EAGAIN EBUSY EINTR ESTALE ETIMEDOUT".split(" ");
  for (const code of temporary) expect(isTemporary(withCode(code))).toBe(true);
  for (const other of [withCode("ENOENT"), withCode("")]) expect(isTemporary(other)).toBe(false);
});

test("an error gets the path of its file where it has none", () => {
  const error = new Error("x");
  expect(withPath(error, "/a")).toBe(error);
  expect(error).toMatchObject({ path: "/a" });
  expect(withPath(error, "/b")).toMatchObject({ path: "/a" });
  expect(withPath("x", "/a")).toBe("x");
});
