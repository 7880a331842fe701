/**
 * The networks that are not the public internet, and what each is. From the IANA registries of
 * special-purpose addresses (RFC 6890 and its updates), multicast (RFC 5771, RFC 4291), and the metadata
 * addresses of clouds that look public.
 */
export const SPECIAL_NETWORKS: readonly (readonly [network: string, what: string])[] = [
  ["0.0.0.0/8", "this machine"],
  ["10.0.0.0/8", "a private network"],
  ["100.64.0.0/10", "a network behind a carrier's translation"],
  ["127.0.0.0/8", "this machine"],
  ["168.63.129.16/32", "a cloud's own service"],
  ["169.254.0.0/16", "a link-local network, where clouds keep their metadata"],
  ["172.16.0.0/12", "a private network"],
  ["192.0.0.0/24", "reserved for protocols"],
  ["192.0.2.0/24", "reserved for documentation"],
  ["192.31.196.0/24", "reserved for AS112"],
  ["192.52.193.0/24", "reserved for multicast relays"],
  ["192.88.99.0/24", "a relay of 6to4"],
  ["192.168.0.0/16", "a private network"],
  ["192.175.48.0/24", "reserved for AS112"],
  ["198.18.0.0/15", "reserved for benchmarks"],
  ["198.51.100.0/24", "reserved for documentation"],
  ["203.0.113.0/24", "reserved for documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["::/128", "this machine"],
  ["::1/128", "this machine"],
  ["::/96", "IPv4 within IPv6"],
  ["::ffff:0:0/96", "IPv4 within IPv6"],
  ["::ffff:0:0:0/96", "IPv4 within IPv6"],
  ["64:ff9b::/96", "IPv4 within IPv6"],
  ["64:ff9b:1::/48", "IPv4 within IPv6"],
  ["100::/64", "a network that discards all"],
  ["2001::/32", "IPv4 within IPv6"],
  ["2001::/23", "reserved for protocols"],
  ["2001:db8::/32", "reserved for documentation"],
  ["2002::/16", "IPv4 within IPv6"],
  ["2620:4f:8000::/48", "reserved for AS112"],
  ["3fff::/20", "reserved for documentation"],
  ["5f00::/16", "reserved for segment routing"],
  ["fc00::/7", "a private network"],
  ["fe80::/10", "a link-local network"],
  ["fec0::/10", "a private network"],
  ["ff00::/8", "multicast"],
];

/**
 * The part of IPv6 that is assigned for the internet (RFC 4291, section 2.4). Everything else is reserved.
 */
export const GLOBAL_UNICAST = "2000::/3";
