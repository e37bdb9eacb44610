import { programOf } from './program-name.ts'

/** Programs that only start another one, and their options whose value is the next word. */
const valueOptions: { readonly [name: string]: RegExp } = {
  sudo: /^(?:-[A-Za-z]*[CDghpRrTtUu]|--(?:user|group|host|prompt|chdir|chroot|role|type|other-user|close-from|command-timeout))$/,
  doas: /^-[A-Za-z]*[Cu]$/,
  env: /^(?:-[A-Za-z0]*[Cu]|--(?:unset|chdir))$/,
  nice: /^(?:-n|--adjustment)$/,
  ionice: /^-[A-Za-z]*[cnpPu]$/,
  timeout: /^(?:-[A-Za-z]*[ks]|--(?:kill-after|signal))$/,
  time: /^(?:-[A-Za-z]*[fo]|--(?:format|output))$/,
  stdbuf: /^(?:-[eio]|--(?:input|output|error))$/,
  exec: /^-[cl]*a$/,
  xargs: /^(?:-[A-Za-z0]*[adEILnPs]|--(?:arg-file|delimiter|max-args|max-chars|max-lines|max-procs))$/,
  nohup: /^$/,
  setsid: /^$/,
  command: /^$/,
  busybox: /^$/,
}

/** An option, a variable, or a duration. */
const wrapperArgument = /^(?:-|\w+=|\d+(?:\.\d+)?[smhd]?$)/

/** Returns the words of the command that `sudo -u root`, `env A=1` or `timeout 5` start. Also looks behind `xargs`. */
export function startedBy(words: readonly string[]): {
  readonly started: readonly string[]
  readonly isBelowXargs: boolean
} {
  let isBelowXargs = false
  let at = 0
  const wordAt = () => words[at] ?? ''
  while (Object.hasOwn(valueOptions, programOf(wordAt()))) {
    const name = programOf(wordAt())
    isBelowXargs ||= name === 'xargs'
    at++
    while (wrapperArgument.test(wordAt())) at += valueOptions[name]?.test(wordAt()) ? 2 : 1
  }
  return { started: words.slice(at), isBelowXargs }
}
