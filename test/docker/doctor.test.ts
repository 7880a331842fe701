import { doctorOn } from "./doctor-on.ts";

doctorOn("docker", "Docker");
