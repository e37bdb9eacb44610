export const splitWords = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Their arguments are never files, and they change nothing. */
export const printPrograms = splitWords(
  'echo printf true false : test [ pwd exit return break continue sleep seq expr basename dirname whoami id uname hostname groups tty nproc uptime arch logname wait shift',
)

/** They change, move or delete the files they are given. */
export const writePrograms = splitWords(
  'rm rmdir mv cp ln touch mkdir chmod chown chgrp chattr setfacl truncate tee dd install unlink shred patch rsync tar unzip gunzip gzip bzip2 xz zip split csplit mkfifo mknod rename srm trash scp sftp ed ex vi vim nvim nano emacs del erase rd',
)

/** They run code from the workspace or the network. */
const codeRunners = splitWords(
  'sh bash dash ash ksh rbash zsh fish csh tcsh python python2 python3 pypy pypy3 ipython node nodejs deno bun bunx ts-node tsx perl ruby irb php lua luajit r rscript julia java javac kotlin scala groovy go cargo rustc gcc g++ cc c++ clang make gmake cmake ninja meson bazel buck gradle gradlew mvn mvnw ant sbt npm npx pnpm pnpx yarn corepack pip pip3 pipx uv uvx poetry pipenv tox nox pytest jest vitest mocha ava karma cypress playwright tsc eslint biome prettier webpack vite rollup rolldown esbuild swc babel turbo nx lerna rake bundle bundler gem rspec composer phpunit dotnet msbuild swift xcodebuild mix elixir iex erl rebar3 stack cabal ghc runghc ocaml dune nix nix-shell just task invoke fab ansible ansible-playbook terraform vagrant docker-compose act pre-commit husky lint-staged nodemon pm2 foreman watchman source . osascript expect tclsh wish m4 gdb lldb electron',
)

export const networkPrograms = splitWords(
  'curl wget fetch aria2c http https httpie xh lynx w3m links nc ncat netcat socat ftp scp',
)
export const sqlClients = splitWords(
  'psql mysql mariadb sqlite3 sqlite sqlcmd cockroach clickhouse-client clickhouse duckdb isql osql usql pgcli mycli litecli bq snowsql sqlplus db2 trino presto hive beeline impala-shell cqlsh',
)

/** True if it runs code from the workspace, or a program in an unusual location. `python3.12` is Python, `nodejs` is node. */
export function runsCode(name: string, program: string): boolean {
  const family = program.replace(/(?:js)?\d*(?:\.\d+)*$/, '')
  return name.includes('/') || codeRunners.has(program) || codeRunners.has(family)
}
