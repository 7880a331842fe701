import { deployOn } from "../docker/deploy-on.ts";

deployOn("podman");
