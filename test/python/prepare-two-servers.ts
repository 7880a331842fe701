// What the suite `python on two servers` needs: all that each of the two needs.
import "./prepare.ts";
import "../postgres/prepare.ts";
