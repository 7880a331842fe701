import { doctorOn } from "../docker/doctor-on.ts";

doctorOn("podman", "podman");
