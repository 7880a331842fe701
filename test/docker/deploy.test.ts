import { deployOn } from "./deploy-on.ts";

deployOn("docker");
