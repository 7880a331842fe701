import { imageContract } from "../docker/image-contract.ts";

imageContract("podman");
