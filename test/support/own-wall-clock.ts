import { readFileSync } from "node:fs";

// Loaded into a server before it starts: its wall clock is set by what stands in a file, at any time.
const wallClock = Date.now;
const file = process.env["WALL_CLOCK_SET_FILE"] ?? "";
Date.now = () => wallClock() + Number(readFileSync(file, "utf8"));
