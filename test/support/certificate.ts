import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate with its key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly subject: string;
  /** Names and IPv4 addresses for which it is valid. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly isAuthority?: boolean;
  /** Who signs it: a certificate with the subject `name`; undefined: itself. */
  readonly issuer?: { readonly name: string; readonly key: string };
}

const DAY = 86_400_000;

/** Makes an X.509 certificate (RFC 5280) with a key on the curve P-256. */
export function makeCertificate(options: CertificateOptions): Certificate {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer = options.issuer === undefined ? keys.privateKey : createPrivateKey(options.issuer.key);
  const contents = contentsOf(options, keys.publicKey);
  const signature = sign("sha256", contents, signer);
  const whole = sequence(contents, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

const ECDSA_SHA256 = sequence(objectId("2a8648ce3d040302"));

function contentsOf(options: CertificateOptions, publicKey: KeyObject): Buffer {
  const { subject, issuer, notBefore = new Date(Date.now() - DAY) } = options;
  const { notAfter = new Date(Date.now() + DAY) } = options;
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(15))])),
    ECDSA_SHA256,
    commonName(issuer?.name ?? subject),
    sequence(time(notBefore), time(notAfter)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensionsOf(options))),
  );
}

function extensionsOf({ names = [], addresses = [], isAuthority = false }: CertificateOptions): Buffer[] {
  const alternatives = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split(".").map(Number)))),
  ];
  return [
    ...(isAuthority ? [extension("551d13", sequence(der(0x01, Buffer.from([0xff]))))] : []),
    ...(alternatives.length > 0 ? [extension("551d11", sequence(...alternatives))] : []),
    // At least one is needed; this one says for what the key may be used (signatures, certificates).
    extension("551d0f", der(0x03, Buffer.from(isAuthority ? [2, 0x04] : [7, 0x80]))),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value));
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(name)))));
}

/** Years until 2049. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

/** Tag, length, contents (X.690). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const long =
    contents.length > 0xff ? [0x82, contents.length >> 8, contents.length & 0xff] : [0x81, contents.length];
  const length = contents.length < 0x80 ? [contents.length] : long;
  return Buffer.concat([Buffer.from([tag, ...length]), contents]);
}
