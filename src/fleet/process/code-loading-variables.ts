/**
 * Variables that make a program load code, or run another program in its place (threat T3). The list covers
 * the common loaders, shells and interpreters. It cannot be complete, as docs/operate.md says.
 */
const NAMES = new Set([
  "PATH",
  "HOME",
  "ENV",
  "IFS",
  "PS4",
  "CDPATH",
  "SHELL",
  "SHELLOPTS",
  "EDITOR",
  "PAGER",
  "CLASSPATH",
  "GCONV_PATH",
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_REPL_EXTERNAL_MODULE",
  "XDG_CONFIG_HOME",
  "JDK_JAVA_OPTIONS",
  "_JAVA_OPTIONS",
  "ERL_AFLAGS",
  "ERL_FLAGS",
  "ERL_ZFLAGS",
]);

const PREFIXES = [
  "LD_",
  "DYLD_",
  "GLIBC_",
  "BASH_",
  "BASHOPTS",
  "ZDOTDIR",
  "BUN_",
  "DENO_",
  "NPM_CONFIG_",
  "npm_config_",
  "PYTHON",
  "PERL",
  "RUBY",
  "GEM_",
  "BUNDLE_",
  "JAVA_",
  "PHP",
  "LUA",
  "R_",
  "JULIA_",
  "DOTNET_",
  "CORECLR_",
  "COMPlus_",
  "OPENSSL_",
  "GIT_",
];

/** The first such variable among the names. */
export function codeLoadingVariable(names: readonly string[]): string | undefined {
  return names.find((name) => NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix)));
}
