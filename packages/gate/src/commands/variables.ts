/**
 * Variables that decide which program is found, what it loads, or what it starts. The list is long and not complete:
 * in front of a command only those of the second list pass without a question, unless the command cares about none.
 */
const steering =
  /^(?:PATH|HOME|IFS|ENV|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|HISTFILE|HISTCONTROL|INPUTRC|OPTARG|PS[0-4]|PROMPT\w*|TMPDIR|TMP|TEMP|SHELL|SHELLOPTS|POSIXLY_CORRECT|PWD|OLDPWD|USER|LOGNAME|EDITOR|VISUAL|PAGER|\w+_PAGER|MANPAGER|BROWSER|FPATH|ZDOTDIR|TERMINFO\w*|LOCPATH|NLSPATH|GCONV_PATH|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|MALLOC_\w+|GLIBC_\w+|LD_\w+|DYLD_\w+|BASH\w*|KSH\w*|GIT\w*|SSH\w*|LESS\w*|MORE|MAN\w*|NODE_(?!ENV$)\w+|NPM_\w+|YARN_\w+|PNPM_\w+|BUN_\w+|DENO_\w+|TS_NODE_\w+|PYTHON\w*|PIP_\w+|VIRTUAL_ENV|CONDA\w*|UV_\w+|PERL\w*|RUBY\w*|GEM_\w+|BUNDLE_\w+|JAVA_\w+|_JAVA_OPTIONS|JDK_\w+|JVM_\w+|CLASSPATH|MAVEN_\w+|GRADLE_\w+|SBT_\w+|GO(?:FLAGS|PATH|ROOT|BIN|PROXY|ENV|TOOLCHAIN|PRIVATE|NOSUMDB|SUMDB)|CGO_\w+|CARGO\w*|RUST(?!_LOG$|_BACKTRACE$)\w*|PHP\w*|LUA\w*|R_\w+|JULIA_\w+|CC|CXX|CPP|LD|AR|AS|CFLAGS|CXXFLAGS|LDFLAGS|MAKE\w*|GNUMAKEFLAGS|CMAKE_\w+|DOCKER_\w+|KUBE\w*|AWS_\w+|AZURE_\w+|GOOGLE_\w+|GCLOUD_\w+|CURL_\w+|WGETRC|GREP_\w+|RIPGREP_\w+|RSYNC_\w+|TAR_OPTIONS|GZIP|XZ_\w+|ZSTD_\w+|ZIP\w*|UNZIP\w*|JQ_\w+|FZF_\w+|BAT_\w+|DIFF\w*|PGSERVICEFILE|PSQL\w*|MYSQL\w*|SUDO_\w+|XDG_\w+|DBUS_\w+|DISPLAY|WAYLAND_\w+|QT_\w+|GTK_\w+|OPENSSL_\w+|SSL_\w+|REQUESTS_CA_BUNDLE|KRB5\w*|SYSTEMD_\w+|\w*_PROXY|CADRE_\w+|COPILOT_\w+|CLAUDE_\w+|(?:http|https|ftp|all|no)_proxy|npm_\w+|path|fpath|cdpath|module_path|histchars|auto_resume)$/

const harmless =
  /^(?:LANG|LANGUAGE|LC_\w+|TZ|NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|RUST_LOG|RUST_BACKTRACE|PORT|HOST|VITEST_\w+|JEST_WORKER_ID|TEST|VERBOSE|LOG_LEVEL)$/

/** `steering`: a person looks at it. `other`: it depends on the command. */
export function kindOfVariable(name: string): 'harmless' | 'steering' | 'other' {
  if (steering.test(name)) return 'steering'
  return harmless.test(name) ? 'harmless' : 'other'
}
