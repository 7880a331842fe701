import { imageContract } from "./image-contract.ts";

imageContract("docker");
