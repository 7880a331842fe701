import type { Member } from "../member.ts";

const OUTBOUND = "src/outbound/create-outbound.ts";

/** Which addresses webhooks may call. */
export const MEMBERS: readonly Member[] = [
  {
    name: "cloud metadata",
    breaks: "No webhook reaches the metadata of a cloud",
    file: "src/outbound/special-networks.ts",
    replace: `  ["169.254.0.0/16", "a link-local network, where clouds keep their metadata"],
`,
    by: "",
    caughtBy: { suite: "outbound", files: ["test/outbound/addresses.test.ts"] },
  },
  {
    name: "IPv4 hidden in IPv6",
    breaks: "No private IPv4 address hides within IPv6",
    file: "src/outbound/special-networks.ts",
    replace: `  ["2002::/16", "IPv4 within IPv6"],
`,
    by: "",
    caughtBy: { suite: "outbound", files: ["test/outbound/addresses.test.ts"] },
  },
  {
    name: "own public address",
    breaks: "No webhook reaches this machine by its public address",
    file: "src/outbound/address-rules.ts",
    replace: 'own().some((other) => exactly.contains(other)) ? "this machine" : undefined',
    by: 'own().every((other) => exactly.contains(other)) ? "this machine" : undefined',
    caughtBy: { suite: "outbound", files: ["test/outbound/addresses.test.ts"] },
  },
  {
    name: "name checked before the call only",
    breaks: "The address that is called is the one that was checked",
    file: OUTBOUND,
    replace: "permitted(receiver, addresses), receiver, end, options)",
    by: "addresses, receiver, end, options)",
    caughtBy: { suite: "outbound", files: ["test/outbound/names.test.ts"] },
  },
  {
    name: "looked up twice",
    breaks: "A name that moves inside between check and call is not followed",
    file: OUTBOUND,
    replace: "dial(address, receiver,",
    by: 'dial(address === "" ? address : receiver.host, receiver,',
    caughtBy: { suite: "outbound", files: ["test/outbound/names.test.ts"] },
  },
  {
    name: "localhost by DNS",
    breaks: "localhost is this machine, whatever DNS says",
    file: OUTBOUND,
    replace: "/^(?:.*\\.)?localhost\\.?$/.test(host)",
    by: "/^localhost$/.test(host)",
    caughtBy: { suite: "outbound", files: ["test/outbound/names.test.ts"] },
  },
  {
    name: "any certificate",
    breaks: "A receiver with https must have a valid certificate",
    file: "src/outbound/dial.ts",
    replace: "rejectUnauthorized: true",
    by: "rejectUnauthorized: false",
    caughtBy: { suite: "outbound", files: ["test/outbound/tls-receivers.test.ts"] },
  },
  {
    name: "zone in an address",
    breaks: "An address that names an interface is not called",
    file: "src/outbound/address-rules.ts",
    replace: ' || address.includes("%")',
    by: "",
    caughtBy: { suite: "outbound", files: ["test/outbound/addresses.test.ts"] },
  },
];
