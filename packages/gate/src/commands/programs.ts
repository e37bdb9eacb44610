const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Languages of the shell that are read here as they are run. */
export const shells = words('sh bash dash ash rbash ksh')
/** Shells with rules of their own: looked into, never trusted. */
export const otherShells = words('zsh fish csh tcsh mksh pdksh yash elvish nu xonsh oksh ksh93 rzsh')

/** Nothing they are given is a file or changes one. */
export const speakers = words(
  'echo printf true false : test [ pwd exit return break continue sleep seq expr basename dirname whoami id uname hostname groups tty nproc uptime arch logname wait shift',
)

/** They read, whatever the option, beyond the guarded ones. Their environment decides nothing but language. */
export const readers = words(
  'date ls cat head tail wc grep egrep fgrep cut tr uniq comm paste join column nl fold fmt expand unexpand rev tac od hexdump xxd strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum diff cmp file stat realpath readlink tree du df free ps sort jq which whereis type cd read set sed awk gawk mawk nawk find fd fdfind rg ag zcat bzcat xzcat zgrep base64 base32 tsort iconv cal numfmt getconf lsof pgrep look dir vdir egrep sdiff diff3 zdiff less more',
)

/** The first word that is no option is something to look for or a program, not a path. */
export const patternFirst = words(
  'grep egrep fgrep rg ag zgrep sed awk gawk mawk nawk jq yq tr look fd fdfind',
)

/** What they are given is changed, moved or removed. */
export const writers = words(
  'rm rmdir mv cp ln touch mkdir chmod chown chgrp chattr setfacl truncate tee dd install unlink shred patch rsync tar unzip gunzip gzip bzip2 xz zip split csplit mkfifo mknod rename srm trash scp sftp ed ex vi vim nvim nano emacs del erase rd',
)

/** They run code that lies in the workspace or comes from the network. */
export const codeRunners = words(
  'sh bash dash ash ksh rbash zsh fish csh tcsh python python2 python3 pypy pypy3 ipython node nodejs deno bun bunx ts-node tsx perl ruby irb php lua luajit r rscript julia java javac kotlin scala groovy go cargo rustc gcc g++ cc c++ clang make gmake cmake ninja meson bazel buck gradle gradlew mvn mvnw ant sbt npm npx pnpm pnpx yarn corepack pip pip3 pipx uv uvx poetry pipenv tox nox pytest jest vitest mocha ava karma cypress playwright tsc eslint biome prettier webpack vite rollup rolldown esbuild swc babel turbo nx lerna rake bundle bundler gem rspec composer phpunit dotnet msbuild swift xcodebuild mix elixir iex erl rebar3 stack cabal ghc runghc ocaml dune nix nix-shell just task invoke fab ansible ansible-playbook terraform vagrant docker-compose act pre-commit husky lint-staged nodemon pm2 foreman watchman source . osascript expect tclsh wish m4 gdb lldb electron',
)

export const fetchers = words(
  'curl wget fetch aria2c http https httpie xh lynx w3m links nc ncat netcat socat ftp scp',
)
export const sqlClients = words(
  'psql mysql mariadb sqlite3 sqlite sqlcmd cockroach clickhouse-client clickhouse duckdb isql osql usql pgcli mycli litecli bq snowsql sqlplus db2 trino presto hive beeline impala-shell cqlsh',
)

/** Interpreters, and the options behind which they take a program. */
export const inlineCode: {
  readonly [program: string]: { readonly short: string; readonly long: readonly string[] }
} = {
  python: { short: 'c', long: [] },
  pypy: { short: 'c', long: [] },
  node: {
    short: 'epr',
    long: [
      'eval',
      'print',
      'require',
      'import',
      'loader',
      'experimental-loader',
      'env-file',
      'run',
      'test',
      'build-snapshot',
      'inspect',
    ],
  },
  bun: { short: 'epr', long: ['eval', 'print', 'preload'] },
  tsx: { short: 'ep', long: ['eval', 'print', 'require', 'import'] },
  'ts-node': { short: 'epr', long: ['eval', 'print', 'require'] },
  perl: { short: 'eEMmIid', long: [] },
  ruby: { short: 'erIi', long: [] },
  php: { short: 'rBREdF', long: ['run', 'process-begin', 'process-code', 'process-end', 'define'] },
  lua: { short: 'el', long: [] },
  luajit: { short: 'elj', long: [] },
  osascript: { short: 'e', long: [] },
  rscript: { short: 'e', long: [] },
  julia: { short: 'eELE', long: ['eval', 'print', 'load'] },
  tclsh: { short: '', long: [] },
  expect: { short: 'c', long: [] },
  groovy: { short: 'e', long: [] },
  elixir: { short: 'er', long: ['eval', 'rpc-eval'] },
  erl: { short: '', long: [] },
  ghc: { short: 'e', long: [] },
  emacs: { short: 'l', long: ['eval', 'load', 'funcall', 'execute', 'script', 'batch'] },
}

/** `python3.12` is Python, `nodejs` is node. */
export function interpreterOf(program: string): string | undefined {
  const family = program.replace(/(?:js)?\d*(?:\.\d+)*$/, '')
  if (Object.hasOwn(inlineCode, program)) return program
  return Object.hasOwn(inlineCode, family) ? family : undefined
}

/** Runs code of the workspace, or a program that lies somewhere unusual. */
export function runsCode(name: string, program: string): boolean {
  return name.includes('/') || codeRunners.has(program) || interpreterOf(program) !== undefined
}

/** Readers in which no option is guarded: a file called `-x` does no harm. */
export function isPlainReader(program: string): boolean {
  return (
    readers.has(program) &&
    !/^(?:find|fd|fdfind|rg|ag|sort|sed|g?awk|[mn]awk|tree|file|diff|less|more|xxd|uniq|ps|base64|iconv)$/.test(
      program,
    )
  )
}
