import { preparePostgres } from "../support/postgres-programs.ts";
import { preparePython } from "../support/python.ts";

// What the suite `python on two servers` needs: an error tells what is not to be had.
preparePython();
if (!preparePostgres()) throw new Error("PostgreSQL is not installed (Debian: apt-get install postgresql)");
