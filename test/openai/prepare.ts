import { preparePython } from "../support/python.ts";

// What the suite `openai clients` needs: an error tells what is not to be had.
preparePython();
preparePython("openai");
