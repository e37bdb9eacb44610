import { readOptions } from '../read-options.ts'
import type { Unwrap } from '../reader.ts'
import { type ShellWord, showWords } from '../shell-word.ts'

/** `ssh host x y`: the words are joined and read by the shell over there. */
export const unwrapSsh: Unwrap = (words, reader, program) => {
  const { rest, options, unknown } = readOptions(words, {
    flags: '46AaCfGgKkMNnqsTtVvXxYy',
    values: 'BbcDEeFIiJLlmOopQRSWw',
    operands: 1,
  })
  if (unknown !== undefined) reader.doubt(`${program} has an option that is not understood: ${unknown}`)
  if (options.some(({ name }) => name === 'o' || name === 'F'))
    reader.doubt(`${program} is given settings that can start programs`)
  if (rest.length > 0) reader.script(joined(rest))
  return {}
}

const containerOptions = {
  flags: 'ditTP',
  values: 'aceghlmnpuvwE',
  long: [
    'detach',
    'interactive',
    'tty',
    'rm',
    'privileged',
    'init',
    'read-only',
    'no-deps',
    'publish-all',
    'service-ports',
    'quiet',
  ],
  longValues: [
    'env',
    'env-file',
    'user',
    'workdir',
    'name',
    'volume',
    'mount',
    'network',
    'net',
    'publish',
    'entrypoint',
    'platform',
    'hostname',
    'label',
    'memory',
    'cpus',
    'add-host',
    'cap-add',
    'cap-drop',
    'device',
    'security-opt',
    'pid',
    'ipc',
    'restart',
    'pull',
    'index',
    'detach-keys',
    'gpus',
    'shm-size',
    'tmpfs',
    'ulimit',
    'userns',
    'uts',
    'dns',
  ],
  operands: 1,
}

/** `docker exec box x`, `docker run image x`. */
export const unwrapContainer: Unwrap = (words, reader, program) => {
  const global = readOptions(words, {
    flags: 'Dv',
    values: 'cHlfp',
    long: ['debug', 'tls', 'tlsverify', 'version', 'help'],
    longValues: ['config', 'context', 'host', 'log-level', 'file', 'project-name'],
  })
  let [sub, ...args] = global.rest
  if (global.unknown !== undefined)
    reader.doubt(`${program} has an option that is not understood: ${global.unknown}`)
  if (/^(?:container|compose)$/.test(sub?.value ?? '')) {
    const below = readOptions(args, {
      values: 'fp',
      longValues: ['file', 'project-name', 'profile', 'env-file'],
    })
    ;[sub, ...args] = below.rest
  }
  if (!/^(?:exec|run|create)$/.test(sub?.value ?? '')) return {}
  const { rest, options, unknown } = readOptions(args, containerOptions)
  if (unknown !== undefined)
    reader.doubt(`${program} ${sub?.value} has an option that is not understood: ${unknown}`)
  const entry = options.find(({ name }) => name === 'entrypoint')?.value
  if (entry !== undefined) reader.command([entry, ...rest])
  else if (rest.length > 0) reader.command(rest)
  return {}
}

/** `kubectl exec pod -- x`. */
export const unwrapKubectl: Unwrap = (words, reader, program) => {
  const values = words.map(({ value }) => value)
  if (!values.some((value) => value === 'exec' || value === 'run' || value === 'debug')) return {}
  const at = values.indexOf('--')
  if (at < 0) reader.doubt(`${program} does not say with -- what it starts`)
  else if (at + 1 < words.length) reader.command(words.slice(at + 1))
  return {}
}

/** What a program joins with blanks and gives to a shell. */
export function joined(words: readonly ShellWord[]): ShellWord {
  const isOpen = words.some(({ kind }) => kind !== 'plain')
  return { value: words.map(({ value }) => value).join(' '), kind: isOpen ? 'open' : 'plain' }
}

/** `cmd /c x`, `powershell -Command x`: another language. */
export const unwrapWindows: Unwrap = (words, reader, program) => {
  reader.doubt(`${program} reads its language in its own way`)
  const at = words.findIndex(({ value }) => /^(?:\/[ck]|-c\w*|--?command)$/i.test(value))
  const inner = words.slice(at + 1)
  if (at >= 0 && inner.length === 1) reader.script(inner[0] as ShellWord)
  else if (at >= 0 && inner.length > 1)
    reader.script({ ...joined(inner), value: showWords(inner.map(({ value }) => value)) })
  return {}
}
