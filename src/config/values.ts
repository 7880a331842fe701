import { isIP } from "node:net";
import { sshTarget } from "../fleet/docker/ssh-target.ts";
import { declaredGpus } from "../fleet/gpu/declared-gpus.ts";
import { durationIn, durationOrMilliseconds } from "../domain/duration-text.ts";
import { parseNetworks } from "../outbound/network.ts";
import { OperatorFault } from "../domain/operator-fault.ts";

const DAY = 86_400_000;

/** One setting: its flag and variable, its default, and what it may be. */
export interface Row<Value> {
  readonly env: string;
  readonly flag: string;
  readonly default: Value;
  /** Answers the value of a text. Throws what it expected, as the end of a sentence. */
  readonly parse: (text: string) => Value;
  readonly sentence: string;
}

/** The type of the value is the type of its default. */
export function row<Value>(
  env: string,
  flag: string,
  byDefault: Value,
  parse: (text: string) => Value,
  sentence: string,
): Row<Value> {
  return { env, flag, default: byDefault, parse, sentence };
}

// The parsers of texts from flags and variables. Each throws what it expected, as the end of a sentence.

export function text(given: string): string {
  return given;
}

export function integer(min: number, max: number): (given: string) => number {
  return (given) => {
    const value = /^[0-9]{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new OperatorFault(`expected an integer from ${min} to ${max}`);
  };
}

/** Milliseconds, or a duration such as `10m`, from 1 ms to a day. */
export function milliseconds(given: string): number {
  const value = durationOrMilliseconds(given) ?? 0;
  if (value >= 1 && value <= DAY) return value;
  throw new OperatorFault("expected milliseconds from 1 to 86400000, or a duration such as 30s, 10m or 24h");
}

/** A time like `12h` or `7d`, up to ten years; or `0`. */
export function span(given: string): string {
  const duration = given === "0" ? 0 : durationIn(given);
  if (duration !== undefined && duration <= 3_650 * DAY) return given;
  throw new OperatorFault("expected a time like 12h or 7d, up to 3650d, or 0");
}

/** The milliseconds of a `span`. */
export function spanOf(given: string): number {
  return durationIn(given) ?? 0;
}

export function boolean(given: string): boolean {
  if (given === "true") return true;
  if (given === "false") return false;
  throw new OperatorFault("expected true or false");
}

export function url(given: string): string {
  if (given === "") return given;
  if (!/^https?:\/\/[^/\s]+$/.test(given))
    throw new OperatorFault("expected an address like https://queue.example.com");
  return given;
}

export function databaseUrl(given: string): string {
  if (given !== "" && !/^postgres(ql)?:\/\/./.test(given)) {
    throw new OperatorFault("expected an address like postgres://user:password@host:5432/database");
  }
  return given;
}

export function key(given: string): string {
  if (given !== "" && !/^[\x21-\x7e]{16,1024}$/.test(given)) {
    throw new OperatorFault("expected 16 or more printable characters without spaces");
  }
  return given;
}

export function decimal(min: number, max: number): (given: string) => number {
  return (given) => {
    const value = /^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new OperatorFault(`expected a number from ${min} to ${max}`);
  };
}

export function dockerHost(given: string): string {
  if (given === "" || /^unix:\/\/\/./.test(given)) return given;
  if (sshTarget(given) !== undefined) return given;
  if (/^tcp:\/\/[^/\s]+$/.test(given) && URL.canParse(given)) return given;
  throw new OperatorFault(
    "expected an address like unix:///var/run/docker.sock, tcp://docker.example.com:2376 or ssh://user@gpu-1",
  );
}

/** GPUs with commas between them, or `none`. */
export function gpuList(given: string): string {
  if (given === "" || declaredGpus(given) !== undefined) return given;
  throw new OperatorFault("expected none, or GPUs like GPU-5c89852c=NVIDIA L40S:46068, each once");
}

export function capabilities(given: string): string {
  if (/^([A-Z][A-Z_]*(,[A-Z][A-Z_]*)*)?$/.test(given)) return given;
  throw new OperatorFault("expected names of Linux capabilities like CHOWN,SETUID");
}

export function portRange(given: string): string {
  const [, first = 0, last = 0] = /^([0-9]{1,5})-([0-9]{1,5})$/.exec(given)?.map(Number) ?? [];
  if (first >= 1 && first <= last && last <= 65_535) return given;
  throw new OperatorFault("expected a range of ports like 20000-29999");
}

export function ipAddress(given: string): string {
  if (isIP(given) !== 0) return given;
  throw new OperatorFault("expected an IP address like 192.0.2.7");
}

/** Networks as CIDR, with commas between them. */
export function networks(given: string): string {
  parseNetworks(given);
  return given;
}
