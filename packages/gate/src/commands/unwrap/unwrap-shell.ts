import { otherShells } from '../programs.ts'
import type { Unwrap } from '../reader.ts'
import type { ShellWord } from '../shell-word.ts'
import { kindOfVariable } from '../variables.ts'

const plainLong = new Set([
  'norc',
  'noprofile',
  'posix',
  'login',
  'noediting',
  'restricted',
  'verbose',
  'debugger',
])

/** `bash -c 'x'`, `sh -ec 'x'`, `sh file`, `… | sh`. */
export const unwrapShell: Unwrap = (words, reader, program) => {
  if (otherShells.has(program)) reader.doubt(`${program} reads its language in its own way`)
  let isScript = false
  let isInput = false
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as ShellWord
    if (word.kind !== 'plain') {
      reader.doubt(`what ${program} gets is only known when it runs`)
      break
    }
    if (word.value === '--' || word.value === '-') {
      at++
      break
    }
    if (!/^[-+]./.test(word.value)) break
    if (word.value.startsWith('--')) {
      if (plainLong.has(word.value.slice(2))) continue
      reader.doubt(`${program} has an option that is not understood: ${word.value}`)
      if (/^--(?:rcfile|init-file)$/.test(word.value)) at++
      continue
    }
    if (word.value.startsWith('-') && word.value.includes('c')) isScript = true
    if (word.value.startsWith('-') && word.value.includes('s')) isInput = true
    if (/[^abcefhklmnoprtuvxBCEHOPT]/.test(word.value.slice(1))) {
      reader.doubt(
        `${program} reads its program from elsewhere or has an option that is not understood: ${word.value}`,
      )
    }
    at += [...word.value].filter((letter) => letter === 'o' || letter === 'O').length
  }
  const script = words[at]
  if (isScript) {
    if (script === undefined) reader.doubt(`${program} -c has no program`)
    else reader.script(script)
    return { covered: true }
  }
  const isFile =
    !isInput && script !== undefined && !/^\/dev\/(?:stdin|fd\/|tty)|^\/proc\//.test(script.value)
  if (isFile) return {}
  reader.doubt(`${program} reads its program from its input`)
  return { readsProgram: true }
}

/** `eval x y`: the words are joined and read again. That is what it does, not how it is looked at. */
export const unwrapEval: Unwrap = (words, reader) => {
  const rest = words[0]?.value === '--' ? words.slice(1) : words
  const isOpen = rest.some(({ kind }) => kind !== 'plain')
  reader.script({ value: rest.map(({ value }) => value).join(' '), kind: isOpen ? 'open' : 'plain' })
  return { covered: true }
}

/** `trap 'x' EXIT`: the first word is run later. */
export const unwrapTrap: Unwrap = (words, reader) => {
  const [script] = words[0]?.value === '--' ? words.slice(1) : words
  const isListed = script === undefined || /^-[lp]*$/.test(script.value) || script.value === ''
  if (!isListed) reader.script(script)
  return {}
}

/** `. file`: runs a file, in this shell. */
export const unwrapSource: Unwrap = (words, reader, program) => {
  reader.doubt(`${program} runs a file: ${words[0]?.value ?? 'nothing'}`)
  return { ...(/^\/dev\/|^\/proc\//.test(words[0]?.value ?? '') && { readsProgram: true }) }
}

/** Builtins that change what a name or a word means from then on. */
export const unwrapChange: Unwrap = (words, reader, program) => {
  const isSetting = words.some(({ value }) => value.startsWith('-') || value.includes('='))
  if (program === 'alias' || program === 'shopt' || program === 'enable') {
    if (words.length > 0) reader.doubt(`${program} changes what the rest of the line means`)
  } else if (program === 'set') {
    if (words.some(({ value }) => /^-(?!-)[^ ]*[ak]|allexport|keyword/.test(value)))
      reader.doubt('set changes what variables do')
  } else if (isSetting || program !== 'hash')
    reader.doubt(`${program} may start other commands or change what they are`)
  return {}
}

/** Builtins that set variables by name. */
export const unwrapVariables: Unwrap = (words, reader, program) => {
  for (const { value, kind } of words) {
    if (kind !== 'plain' && !/^[A-Za-z_]\w*=/.test(value))
      reader.doubt(`which variable ${program} sets is only known when it runs`)
    if (program === 'read' && /^-\w*a\w/.test(value))
      reader.doubt(`which variable ${program} sets is not clear: ${value}`)
    if (value.includes('[')) reader.doubt(`${program} evaluates an index: ${value}`)
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(value)?.[1]
    if (name !== undefined) reader.variable(name, false)
    const isExported = name !== undefined && /^(?:export|declare|typeset)$/.test(program)
    if (isExported && kindOfVariable(name) !== 'harmless')
      reader.doubt(`${name} is set for everything that follows`)
    if (/^-\w*[inxC]/.test(value) && program !== 'read' && program !== 'export')
      reader.doubt(`${program} ${value} changes how values are read`)
  }
  return {}
}

/** `test -v name` evaluates the index of the name, and any command in it. */
export const unwrapTest: Unwrap = (words, reader) => {
  const isAsked = words.some(({ value }) => value === '-v' || value === '-R')
  if (isAsked && words.some(({ value, kind }) => value.includes('[') || kind !== 'plain'))
    reader.doubt('it asks for a variable by a name that is evaluated')
  return {}
}
