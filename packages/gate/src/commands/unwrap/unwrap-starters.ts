import { interpreterOf } from '../programs.ts'
import { readOptions } from '../read-options.ts'
import type { Unwrap } from '../reader.ts'
import { valuesOf } from './unwrap-git.ts'
import { joined } from './unwrap-remote.ts'

/** `su -c x`, `runuser -u a -- x`. */
export const unwrapSu: Unwrap = (words, reader, program) => {
  const { rest, options, unknown } = readOptions(words, {
    flags: 'flmpP',
    values: 'cgGsuwC',
    long: ['login', 'fast', 'preserve-environment', 'pty'],
    longValues: [
      'command',
      'session-command',
      'group',
      'supp-group',
      'shell',
      'user',
      'whitelist-environment',
    ],
  })
  if (unknown !== undefined) reader.doubt(`${program} has an option that is not understood: ${unknown}`)
  const scripts = [
    ...options.filter(({ name }) => /^(?:c|C|command|session-command)$/.test(name)).map(({ value }) => value),
    ...valuesOf(rest, 'c', 'command'),
  ]
  for (const script of scripts) if (script !== undefined) reader.script(script)
  const isDirect = program === 'runuser' && options.some(({ name }) => name === 'u' || name === 'user')
  if (isDirect && rest.length > 0) reader.command(rest)
  if (scripts.length === 0 && !isDirect) reader.doubt(`${program} starts a shell`)
  return {}
}

/** `flock file x`, `flock file -c 'x'`. */
export const unwrapFlock: Unwrap = (words, reader) => {
  const { rest, unknown } = readOptions(words, {
    flags: 'sxeunoFv',
    values: 'wEc',
    long: ['shared', 'exclusive', 'unlock', 'nonblock', 'nb', 'no-fork', 'close', 'verbose'],
    longValues: ['wait', 'timeout', 'conflict-exit-code'],
    operands: 1,
  })
  if (unknown !== undefined) reader.doubt(`flock has an option that is not understood: ${unknown}`)
  if (/^(?:-c|--command)$/.test(rest[0]?.value ?? '')) rest[1] && reader.script(rest[1])
  else if (rest.length > 0) reader.command(rest)
  return {}
}

/** `watch x y`: joined, and given to a shell again and again. */
export const unwrapWatch: Unwrap = (words, reader) => {
  const { rest, unknown } = readOptions(words, {
    flags: 'bcdegtwxCpr',
    values: 'nqs',
    long: ['beep', 'color', 'differences', 'errexit', 'chgexit', 'no-title', 'no-wrap', 'exec', 'precise'],
    longValues: ['interval', 'equexit'],
  })
  if (unknown !== undefined) reader.doubt(`watch has an option that is not understood: ${unknown}`)
  if (rest.length > 0) reader.script(joined(rest))
  return {}
}

/** `script -c 'x' file`. Without it, a shell. */
export const unwrapScript: Unwrap = (words, reader, program) => {
  const scripts = valuesOf(words, 'c', 'command')
  for (const text of scripts) reader.script(text)
  if (scripts.length === 0) reader.doubt(`${program} starts a shell`)
  return {}
}

/** `parallel x ::: a b`: words come from elsewhere, or are commands themselves. */
export const unwrapParallel: Unwrap = (words, reader, program) => {
  reader.doubt(`${program} puts its commands together itself`)
  const end = words.findIndex(({ value }) => /^:::\+?:?\+?$/.test(value))
  const front = end < 0 ? words : words.slice(0, end)
  const at = front.findIndex(({ value }) => !value.startsWith('-'))
  const inner = at < 0 ? [] : front.slice(at)
  if (inner.length > 0) reader.script(joined(inner))
  else for (const word of words.slice(end + 1)) reader.script(word)
  return {}
}

/** `npx x`, `pnpm dlx x`: the package answers for its command. */
export const unwrapPackage: Unwrap = (words, reader, program) => {
  const isDirect = /^(?:npx|bunx|pnpx|uvx|pipx)$/.test(program)
  const at = isDirect ? 0 : words.findIndex(({ value }) => /^(?:exec|x|dlx)$/.test(value)) + 1
  if (at === 0 && !isDirect) return {}
  const args = words.slice(at)
  for (const text of valuesOf(args, 'c', 'call')) reader.script(text)
  const { rest } = readOptions(args, {
    flags: 'yqs',
    values: 'pcw',
    long: ['yes', 'no', 'quiet', 'silent', 'no-install', 'bun'],
    longValues: ['package', 'call', 'workspace'],
  })
  if (rest.length > 0) reader.command(rest, { covered: true })
  return {}
}

/** An interpreter without a file takes its program from its input. */
export const unwrapInterpreter: Unwrap = (words, reader, program) => {
  const values = words.map(({ value }) => value)
  const isEval = /^(?:deno|bun)$/.test(program) && values[0] === 'eval'
  if (isEval) reader.doubt(`${program} runs code that is written in the line`)
  // For Python `-v` means to talk more, not to tell its version.
  const information = /^(?:py|ipy)/.test(program)
    ? /^(?:-V{1,2}|-h|--(?:version|help))$/
    : /^(?:-[vVh]|--(?:version|help))$/
  const isInformation = values.length > 0 && values.every((value) => information.test(value))
  const file = values.find((value) => !value.startsWith('-') || value === '-')
  const hasCode = values.some((value) =>
    /^-[A-Za-z]*[cemprREBF]|^--(?:eval|print|run|test|process|rpc-eval|version|help|check)/.test(value),
  )
  if (isInformation || interpreterOf(program) === undefined) return {}
  const fromInput =
    file === '-' ||
    file?.startsWith('/dev/fd/') ||
    file?.startsWith('/dev/stdin') ||
    (file === undefined && !hasCode)
  if (!fromInput) return {}
  reader.doubt(`${program} reads its program from its input`)
  return { readsProgram: true }
}

const commandOptions: { readonly [program: string]: readonly (readonly [short: string, long: string])[] } = {
  tar: [
    ['I', 'use-compress-program'],
    ['F', 'info-script'],
    ['', 'to-command'],
    ['', 'new-volume-script'],
    ['', 'rsh-command'],
    ['', 'rmt-command'],
  ],
  rsync: [
    ['e', 'rsh'],
    ['', 'rsync-path'],
  ],
  zip: [['', 'unzip-command']],
  sort: [['', 'compress-program']],
  rg: [
    ['', 'pre'],
    ['', 'hostname-bin'],
  ],
  split: [['', 'filter']],
  man: [
    ['P', 'pager'],
    ['H', 'html'],
  ],
  scp: [['S', '']],
  sftp: [['S', '']],
  mapfile: [['C', '']],
  readarray: [['C', '']],
  compgen: [['C', '']],
  complete: [['C', '']],
  crontab: [],
}

/** `tar --to-command=x`, `rsync -e x`: an option whose value is a command. */
export const unwrapOption: Unwrap = (words, reader, program) => {
  for (const [short, long] of commandOptions[program] ?? []) {
    for (const text of valuesOf(words, short, long === '' ? '\0' : long)) {
      reader.doubt(`${program} ${long === '' ? `-${short}` : `--${long}`} starts a program`)
      reader.script(text)
    }
  }
  if (program === 'tar') {
    for (const { value } of valuesOf(words, '', 'checkpoint-action')) {
      reader.doubt('tar --checkpoint-action can start a program')
      if (value.startsWith('exec=')) reader.script({ value: value.slice(5), kind: 'plain' })
    }
  }
  if (program === 'zip' && words.some(({ value }) => value === '-TT' || value.startsWith('-TT'))) {
    const text = valuesOf(words, 'TT', '\0')
    for (const word of text) reader.script(word)
    reader.doubt('zip -TT starts a program')
  }
  return {}
}

export const withCommandOptions = Object.keys(commandOptions)

/** `vim -c '!x'`, `vim '+!x'`. */
export const unwrapEditor: Unwrap = (words, reader, program) => {
  for (const word of words) {
    const inner = /^(?:\+|-c|--cmd=?)?\s*:?(?:silent\s*)?!(.*)$/s.exec(word.value)?.[1]
    if (inner !== undefined) reader.script({ ...word, value: inner })
  }
  if (words.some(({ value }) => /^(?:\+|-[cSs]|--cmd|-es|--eval|-l$|-u$)/.test(value)))
    reader.doubt(`${program} is given commands of its own`)
  return {}
}
