import type { FoundCommand } from './command-line.ts'
import { isPlainAwk } from './plain-awk.ts'
import { isPlainSed } from './plain-sed.ts'
import { programOf } from './program-name.ts'
import { inlineCode, interpreterOf } from './programs.ts'

/** An option that makes a program write or run something. Only a pattern that names it allows it. */
export interface Guarded {
  /** As it is written in the line. */
  readonly option: string
  /** The spellings by which a pattern may name it. */
  readonly names: readonly string[]
}

interface Guard {
  /** Letters of short options, also within a cluster. */
  readonly short?: string
  /** Long options; every beginning of them counts. */
  readonly long?: readonly string[]
  /** Whole words. */
  readonly words?: RegExp
  /** More words than this that are no options: the last one is written. */
  readonly most?: number
}

const guards: { readonly [program: string]: Guard } = {
  find: { words: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$/ },
  fd: { short: 'xX', long: ['exec', 'exec-batch'] },
  fdfind: { short: 'xX', long: ['exec', 'exec-batch'] },
  sort: { short: 'oT', long: ['output', 'compress-program', 'temporary-directory', 'files0-from'] },
  shuf: { short: 'o', long: ['output'] },
  uniq: { most: 1 },
  xxd: { most: 1, words: /^-r/ },
  iconv: { short: 'o', long: ['output'] },
  base64: { short: 'o', long: ['output'] },
  rg: { long: ['pre', 'pre-glob', 'hostname-bin'] },
  ag: { long: ['pager'] },
  tree: { short: 'oR', long: ['output'] },
  file: { short: 'Cf', long: ['compile', 'files-from'] },
  // A list of files: what is read stands elsewhere.
  wc: { long: ['files0-from'] },
  du: { long: ['files0-from'] },
  // Modules, and the environment.
  jq: {
    short: 'L',
    long: ['library-path'],
    words: /\$ENV|(?<![\w."$-])(?:env|import|include)(?![\w/-]|\.(?:js|json|ya?ml|txt)\b)/,
  },
  date: { short: 's', long: ['set'], words: /^\d{8,}/ },
  hostname: { most: 0, short: 'F', long: ['file'] },
  // The index of a name that is asked for is evaluated.
  test: { words: /^-[vR]$/ },
  '[': { words: /^-[vR]$/ },
  wait: { short: 'p' },
  printf: { words: /^-v/ },
  sed: { short: 'ifIl', long: ['in-place', 'file', 'line-length'] },
  awk: {
    short: 'fiElodpDLW',
    long: ['file', 'include', 'load', 'exec', 'debug', 'profile', 'pretty-print', 'dump-variables', 'source'],
  },
  yq: { short: 'i', long: ['inplace', 'split-exp', 'from-file'], words: /^-s$/ },
  diff: { short: 'l', long: ['paginate'] },
  ps: { words: /^[^-]*e|^-E/ },
  tar: {
    short: 'IF',
    long: [
      'to-command',
      'checkpoint-action',
      'use-compress-program',
      'info-script',
      'new-volume-script',
      'rsh-command',
      'rmt-command',
    ],
  },
  rsync: { short: 'e', long: ['rsh', 'rsync-path', 'delete'] },
  zip: { words: /^-T/, long: ['unzip-command', 'test'] },
  split: { long: ['filter'] },
  curl: {
    short: 'oOJTKDcF',
    long: [
      'output',
      'output-dir',
      'remote-name',
      'upload-file',
      'config',
      'dump-header',
      'cookie-jar',
      'form',
      'trace',
      'stderr',
      'unix-socket',
      'create-dirs',
      'engine',
    ],
  },
  wget: {
    short: 'OoaiPe',
    long: [
      'output-document',
      'output-file',
      'append-output',
      'input-file',
      'directory-prefix',
      'execute',
      'use-askpass',
      'post-file',
      'body-file',
      'mirror',
      'config',
    ],
  },
  ssh: { short: 'oFE' },
  scp: { short: 'oFS' },
  sftp: { short: 'oFSb' },
  docker: {
    long: ['privileged', 'mount', 'volume', 'cap-add', 'device', 'security-opt', 'pid', 'userns'],
    words: /^-[a-z]*v(?:\/|$)/,
  },
  podman: {
    long: ['privileged', 'mount', 'volume', 'cap-add', 'device', 'security-opt', 'pid', 'userns'],
    words: /^-[a-z]*v(?:\/|$)/,
  },
  make: {
    short: 'fEI',
    long: ['file', 'makefile', 'eval', 'include-dir'],
    words: /^(?:SHELL|MAKEFLAGS|MAKEFILES)\s*[:+?]?=/,
  },
  man: { short: 'PHC', long: ['pager', 'html', 'config-file'] },
  less: { short: 'koO', words: /^\+/ },
  gdb: { short: 'x', words: /^--?(?:ex|eval-command|iex|command|x|args|batch)/ },
  psql: { words: /\\!|\\copy|\\o|\\g|\bcopy\b.*\bprogram\b/i, short: 'oL', long: ['output', 'log-file'] },
  sqlite3: { words: /^\s*\.(?!tables|schema|headers|mode)|-(?:cmd|init)/ },
  mysql: { words: /\\!|\bsystem\b|into\s+(?:out|dump)file/i, long: ['tee', 'pager'] },
  crontab: { short: 'er' },
  npm: { long: ['script-shell', 'node-options', 'git', 'prefix', 'userconfig', 'globalconfig'] },
  journalctl: { long: ['vacuum-size', 'vacuum-time', 'vacuum-files', 'rotate', 'cursor-file'] },
  dmesg: { short: 'cCDEn', long: ['clear', 'read-clear'] },
  column: {},
}

/** Of every command of git. */
const everyGit: Guard = {
  long: [
    'output',
    'ext-diff',
    'textconv',
    'filters',
    'upload-pack',
    'receive-pack',
    'exec',
    'extcmd',
    'open-files-in-pager',
    'output-directory',
    'no-index',
    'contents',
    'template',
    'separate-git-dir',
  ],
  words: /^(?:ext|fd)::/,
}

const gitGuards: { readonly [sub: string]: Guard } = {
  branch: {
    short: 'dDmMcCfut',
    long: [
      'delete',
      'move',
      'copy',
      'force',
      'set-upstream-to',
      'unset-upstream',
      'edit-description',
      'track',
      'create-reflog',
    ],
  },
  tag: {
    short: 'dfasmFue',
    long: ['delete', 'force', 'annotate', 'sign', 'message', 'file', 'local-user', 'edit', 'create-reflog'],
  },
  grep: { short: 'Of' },
  config: {
    short: 'efd',
    long: [
      'unset',
      'unset-all',
      'add',
      'replace-all',
      'remove-section',
      'rename-section',
      'edit',
      'file',
      'global',
      'system',
      'blob',
    ],
  },
  reflog: { words: /^(?:expire|delete|drop|write)$/ },
  stash: { words: /^(?:drop|clear|pop|apply|push|save|create|store|branch)$/ },
  remote: { words: /^(?:add|rm|remove|rename|set-url|set-head|set-branches|prune|update)$/ },
  worktree: { words: /^(?:add|remove|move|prune|lock|unlock|repair)$/ },
  rebase: { short: 'x' },
  difftool: { short: 'xt' },
  archive: { short: 'o', long: ['remote'] },
  clone: { short: 'uc', long: ['config'] },
  push: { short: 'd', long: ['delete', 'prune'], words: /^:./ },
  clean: { short: 'fxXd', long: ['force'] },
  checkout: { short: 'fB', long: ['force'] },
  notes: { words: /^(?:add|append|copy|edit|merge|remove|prune)$/ },
  bundle: { words: /^create$/ },
  'symbolic-ref': { most: 1, short: 'dm', long: ['delete'] },
}

/** Options of a command that write or run something although most uses of it do not. */
export function guardedIn(command: FoundCommand): readonly Guarded[] {
  const [name = '', ...args] = command.words
  const program = programOf(name)
  const found: Guarded[] = []
  if (program === 'git') {
    const end = args.indexOf('--')
    const before = end < 0 ? args.slice(1) : args.slice(1, end)
    found.push(...matching(everyGit, before))
    const [sub = ''] = args
    if (Object.hasOwn(gitGuards, sub)) found.push(...matching(gitGuards[sub] as Guard, before))
    return found
  }
  const guard = guardOf(program)
  if (guard !== undefined) found.push(...matching(guard, args))
  const interpreter = interpreterOf(program)
  if (interpreter !== undefined) found.push(...matching(inlineCode[interpreter] as Guard, beforeFile(args)))
  if (/^(?:g|s)?sed$/.test(program))
    found.push(
      ...sedScripts(args)
        .filter((text) => !isPlainSed(text))
        .map(asScript),
    )
  // Which of its words is the program depends on its options: none of them may do anything.
  if (/^[gmn]?awk$/.test(program)) found.push(...args.filter((text) => !isPlainAwk(text)).map(asScript))
  return found
}

function guardOf(program: string): Guard | undefined {
  const family = program.replace(/^g(?=sed$|awk$|find$|sort$|tar$|date$)|^[mn](?=awk$)/, '')
  return Object.hasOwn(guards, family) ? guards[family] : undefined
}

function matching({ short = '', long = [], words, most }: Guard, args: readonly string[]): Guarded[] {
  const found: Guarded[] = []
  for (const word of args) {
    if (words?.test(word)) found.push({ option: word, names: [word] })
    if (word.startsWith('--') && word.length > 2) {
      const written = word.slice(2).split('=')[0] as string
      const names = long.filter((name) => name.startsWith(written))
      if (names.length > 0) found.push({ option: word, names: names.map((name) => `--${name}`) })
    } else if (/^-[A-Za-z]/.test(word)) {
      const letters = [...short].filter((letter) => word.includes(letter))
      if (letters.length > 0)
        found.push({ option: word, names: [word, ...letters.map((letter) => `-${letter}`)] })
    }
  }
  const operands = args.filter((word) => !word.startsWith('-'))
  if (most !== undefined && operands.length > most) {
    const last = operands.at(-1) as string
    found.push({ option: last, names: [last] })
  }
  return found
}

/** What follows the file belongs to the program in it. */
function beforeFile(args: readonly string[]): readonly string[] {
  const at = args.findIndex((word) => !word.startsWith('-'))
  return at < 0 ? args : args.slice(0, at)
}

/** The programs of sed: behind each `-e`, or the first word that is no option. */
function sedScripts(args: readonly string[]): readonly string[] {
  const found: string[] = []
  let first: string | undefined
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string
    const attached = /^(?:-[a-zA-Z]*e|--e[a-z]*=)(.+)$/s.exec(word)?.[1]
    if (attached !== undefined) found.push(attached)
    else if (/^-[a-zA-Z]*e$|^--e[a-z]*$/.test(word)) found.push(args[++at] ?? 'w')
    else if (!word.startsWith('-')) first ??= word
  }
  return found.length > 0 ? found : first === undefined ? [] : [first]
}

function asScript(text: string): Guarded {
  return { option: text, names: [text] }
}
