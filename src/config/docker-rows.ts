import { capabilities, decimal, dockerHost, integer, ipAddress, portRange, row, text } from "./values.ts";

/** The settings of workers on Docker. */
export const DOCKER_ROWS = {
  dockerHost: row(
    "FOREBAY_DOCKER_HOST",
    "docker-host",
    "",
    dockerHost,
    "The Docker Engine that runs workers, such as unix:///var/run/docker.sock; empty: none.",
  ),
  dockerTls: row(
    "FOREBAY_DOCKER_TLS",
    "docker-tls",
    "",
    text,
    "The directory with ca.pem, cert.pem and key.pem for an engine on tcp://; empty: no encryption.",
  ),
  dockerNetwork: row(
    "FOREBAY_DOCKER_NETWORK",
    "docker-network",
    "",
    text,
    "The network of containers, such as host; empty: the engine's default.",
  ),
  dockerUser: row(
    "FOREBAY_DOCKER_USER",
    "docker-user",
    "",
    text,
    "The user of all containers, such as 1000:1000; empty: that of the image.",
  ),
  dockerMemory: row(
    "FOREBAY_DOCKER_MEMORY_MB",
    "docker-memory-mb",
    0,
    integer(0, 100_000_000),
    "Memory of one container, in MB; 0: nine tenths of that of the engine's machine.",
  ),
  dockerCpus: row(
    "FOREBAY_DOCKER_CPUS",
    "docker-cpus",
    0,
    decimal(0, 10_000),
    "Cores of one container, such as 1.5; 0: all.",
  ),
  dockerPids: row(
    "FOREBAY_DOCKER_PIDS",
    "docker-pids",
    4_096,
    integer(1, 4_194_304),
    "Processes and threads of one container, at most.",
  ),
  dockerCapabilities: row(
    "FOREBAY_DOCKER_CAPABILITIES",
    "docker-capabilities",
    "",
    capabilities,
    "Linux capabilities that containers keep, such as CHOWN,SETUID; all others are dropped.",
  ),
  dockerPublishAddress: row(
    "FOREBAY_DOCKER_PUBLISH_ADDRESS",
    "docker-publish-address",
    "127.0.0.1",
    ipAddress,
    "The address on the engine's machine that publishes ports of containers; workers get it as a variable.",
  ),
  dockerPublishPorts: row(
    "FOREBAY_DOCKER_PUBLISH_PORTS",
    "docker-publish-ports",
    "20000-29999",
    portRange,
    "The ports that may be published on that address.",
  ),
} as const;
