import { expect, test } from "bun:test";
import { postgresAddresses } from "../../../src/store/postgres/postgres-primary.ts";

test("a URL of one server is itself, one of several an address for each", () => {
  expect(postgresAddresses("postgres://user:pass@host/name")).toEqual(["postgres://user:pass@host/name"]);
  expect(postgresAddresses("postgresql://user:p%2Cw@a,b:5433,[::1]:5434/name?sslmode=require")).toEqual([
    "postgresql://user:p%2Cw@a/name?sslmode=require",
    "postgresql://user:p%2Cw@b:5433/name?sslmode=require",
    "postgresql://user:p%2Cw@[::1]:5434/name?sslmode=require",
  ]);
});

test("the choice of the server that writes is left out, as it is always made; another one is refused", () => {
  const url = "postgres://a,b/name?target_session_attrs=";
  expect(postgresAddresses(`${url}read-write`)).toEqual(["postgres://a/name", "postgres://b/name"]);
  expect(postgresAddresses(`${url}primary&sslmode=require`)[0]).toBe("postgres://a/name?sslmode=require");
  expect(() => postgresAddresses(`${url}standby`)).toThrow("Forebay needs read-write");
});

test("what names no server is refused", () => {
  expect(() => postgresAddresses("mysql://host/name")).toThrow("must be like postgres://");
  expect(() => postgresAddresses("postgres://a,,b/name")).toThrow("must be like postgres://");
});
