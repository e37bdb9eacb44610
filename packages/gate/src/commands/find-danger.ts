import path from 'node:path'
import { type CommandLine, type FoundCommand, foundCommand } from './command-line.ts'
import { commandHintsIn, type Nesting, outermost } from './find-visible-commands.ts'
import type { List } from './line/line.ts'
import { programOf } from './program-name.ts'
import { gitCommandAt } from './programs/describe-git.ts'
import { networkPrograms, sqlClients, writePrograms } from './programs/known-programs.ts'
import { startedBy } from './started-by.ts'

export interface Danger {
  readonly what: string
  readonly reason: string
}

const destructivePrograms =
  /^(?:shutdown|reboot|halt|poweroff|telinit|mkfs(?:\..+)?|mke2fs|mkdosfs|mkntfs|wipefs|blkdiscard|cryptsetup-reencrypt|newfs(?:_.+)?)$/
const stops = /^(?:poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency)(?:\.target)?$/
const disk =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|mapper|md|loop|sr|mem|kmem|port|nbd|zd|block|ram)/
/** An unterminated comment extends to the end of the text, so the scan stays linear. MySQL executes `/*! … *\/`. */
const comments = /\/\*!\d*|\/\*.*?(?:\*\/|$)|--[^\n]*(?:\n|$)/gs
const commentsOutsideStrings = new RegExp(`('[^']*'|"[^"]*")|${comments.source}`, 'gs')
/** Also directly after a short option (`-cDROP`), and separated by the `\\n` of `echo -e`. */
const dropStatement = /(?:\b|^-\w*)drop(?:\s|\\[nrt])+(?:tables?|database|schema)\b/i

/**
 * Finds commands that no rule can allow: destroying whole disks or machines, or history that others use. Works on words,
 * never on text.
 */
export function findDanger({ commands, plan }: CommandLine, source: string): Danger | undefined {
  const nesting = outermost()
  for (const command of commands) {
    const danger = dangerOf(command) ?? dangerOfXargs(command, nesting)
    if (danger !== undefined) return danger
  }
  if (runsFetchedText(commands))
    return { what: 'curl | sh', reason: 'the command runs downloaded code without checking it' }
  if (!commands.some(({ program }) => sqlClients.has(program))) return undefined
  const documents = plan === undefined ? [textAfterHereDocument(source)] : hereDocumentsIn(plan)
  if (![...documents, ...commands.flatMap(textsOf)].some(drops)) return undefined
  return { what: 'DROP TABLE', reason: 'the command deletes tables or databases' }
}

/** Detects `echo /etc | xargs rm -r`. Without `{}`, the words from the input follow those of the command. */
function dangerOfXargs({ texts, folders, input }: FoundCommand, nesting: Nesting): Danger | undefined {
  if (input === undefined || input.text === '') return undefined
  const { started, isBelowXargs } = startedBy(texts)
  // What `find` prints is below its folders: `mv` does not move them.
  if (!isBelowXargs || (input.from === 'find' && programOf(started[0] ?? '') === 'mv')) return undefined
  const text = input.text.trim()
  const places = /\{\}|\$[@*\d]/g
  nesting.room.letters -= text.length * (1 + (started.join(' ').match(places)?.length ?? 0))
  if (nesting.room.letters < 0)
    return { what: 'xargs', reason: 'the command gives xargs more text than Cadre can check' }
  const filled = started.map((word) => word.replace(places, () => text))
  const words = [...filled, ...(started.some((word) => word.includes('{}')) ? [] : text.split(/\s+/))]
  const command = foundCommand(
    words.map((text) => ({ text })),
    { redirects: [], variables: {}, folders },
  )
  for (const each of [command, ...commandHintsIn(command, nesting)]) {
    const danger = dangerOf(each)
    if (danger !== undefined) return danger
  }
  return undefined
}

/** `echo DROP TABLE x` prints one text. */
function textsOf({ program, texts }: FoundCommand): readonly string[] {
  return program === 'echo' || program === 'printf' ? [...texts, texts.join(' ')] : texts
}

function drops(text: string): boolean {
  const sql = text.replace(/^--[\w-]+=/, '')
  return [
    sql.replace(comments, ' '),
    sql.replace(commentsOutsideStrings, (_, quoted?: string) => quoted ?? ' '),
  ].some((statement) => dropStatement.test(statement))
}

/** Returns everything below the first `<<` of a line that only a shell can parse. */
function textAfterHereDocument(source: string): string {
  const start = source.indexOf('<<')
  const end = start < 0 ? -1 : source.indexOf('\n', start)
  return end < 0 ? '' : source.slice(end)
}

const readsCommands = /^(?:sh|bash|dash|ash|zsh|ksh|fish|eval|source|\.)$/

/** Detects a shell that runs downloaded text: `curl … | sh`, `eval "$(curl …)"`. */
function runsFetchedText(commands: readonly FoundCommand[]): boolean {
  const fetches = commands.findIndex(({ program }) => networkPrograms.has(program))
  if (fetches < 0) return false
  return commands.slice(fetches + 1).some(({ texts, program }) => {
    const operand = texts.find((text, at) => at > 0 && !text.startsWith('-'))
    return (operand === undefined || operand.includes('$(')) && readsCommands.test(program)
  })
}

/** Returns the here-documents of a line. */
export function hereDocumentsIn(list: List): readonly string[] {
  return list.flatMap(({ stages }) =>
    stages.flatMap((stage) => [
      ...stage.redirects.flatMap((redirect) => (redirect.kind === 'text' ? [redirect.text] : [])),
      ...(stage.kind === 'group' ? hereDocumentsIn(stage.list) : []),
    ]),
  )
}

function dangerOf({ texts, program, redirects, folders }: FoundCommand): Danger | undefined {
  const isDisk = (word: string) => folders.some((folder) => disk.test(pathFrom(folder, word)))
  const device = redirects.find((redirect) => redirect.kind === 'write' && isDisk(redirect.path))
  if (device !== undefined) return { what: `> ${device.path}`, reason: 'the command overwrites a disk' }
  if (destructivePrograms.test(program))
    return { what: program, reason: `${program} shuts down the machine or formats a disk` }
  const args = texts.slice(1)
  if (program === 'git') return dangerOfGit(args)
  if (
    (program === 'init' && /^[06]$/.test(args[0] ?? '')) ||
    (/^(?:systemctl|loginctl)$/.test(program) && args.some((word) => stops.test(word)))
  )
    return { what: program, reason: 'the command shuts down the machine' }
  if (writePrograms.has(program) || networkPrograms.has(program)) {
    // `dd` only reads the file of `if=`.
    const written = program === 'dd' ? args.filter((word) => word.startsWith('of=')) : args
    const targets = written.map((word) => word.replace(/^(?:of=|-[oO]|--output(?:-document)?=)/, ''))
    const target = targets.find(isDisk)
    if (target !== undefined) return { what: `${program} ${target}`, reason: 'the command overwrites a disk' }
  }
  return dangerOfFiles(program, args, folders) ?? dangerOfWindows(program, args)
}

function pathFrom(folder: string, word: string): string {
  return path.posix.isAbsolute(word) ? path.posix.normalize(word) : path.posix.join(folder, word)
}

function dangerOfFiles(
  program: string,
  args: readonly string[],
  folders: readonly string[],
): Danger | undefined {
  if (!/^(?:rm|chmod|chown|chgrp|setfacl|mv|g?find)$/.test(program)) return undefined
  if (program === 'rm' && hasOption(args, '', 'no-preserve-root'))
    return { what: 'rm --no-preserve-root', reason: 'the command deletes everything' }
  const isRootHere = (word: string) => namesRoot(word, folders)
  const root = args.find(isRootHere)
  if (root === undefined) return undefined
  if (program === 'mv')
    return movedBy(args).some(isRootHere)
      ? { what: `mv ${root}`, reason: 'the command moves a system directory or a home directory' }
      : undefined
  if (program.endsWith('find'))
    return deletesMatches(args)
      ? { what: `find ${root} -delete`, reason: 'the command deletes a system directory or a home directory' }
      : undefined
  if (!hasOption(args, 'rR', 'recursive')) return undefined
  return program === 'rm'
    ? {
        what: `rm -rf ${root}`,
        reason: 'the command deletes a system directory, a home directory, or everything',
      }
    : {
        what: `${program} -R ${root}`,
        reason: 'the command changes the permissions of a system directory or a home directory',
      }
}

/** The last word is the target, except after `-t`. */
function movedBy(args: readonly string[]): readonly string[] {
  const operands: string[] = []
  let hasTarget = false
  let at = 0
  for (; at < args.length && args[at] !== '--'; at++) {
    const word = args[at] as string
    const [, short, long, value] = /^-(?:[^-St]*([St])|-(su|t)[a-z-]*(?=$|=))(.*)$/s.exec(word) ?? []
    hasTarget ||= short === 't' || long === 't'
    if (!word.startsWith('-')) operands.push(word)
    if (value === '') at++
  }
  operands.push(...args.slice(at + 1))
  return hasTarget ? operands : operands.slice(0, -1)
}

function deletesMatches(args: readonly string[]): boolean {
  const removes = (word: string, at: number) =>
    /^-(?:exec|ok)(?:dir)?$/.test(word) &&
    /^(?:rm|shred|unlink)$/.test(programOf(startedBy(args.slice(at + 1)).started[0] ?? ''))
  return args.includes('-delete') || args.some(removes)
}

const systemFolder =
  /^\/(?:bin|boot|dev|etc|home|home\/[^/]+|lib|lib32|lib64|libx32|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|usr\/(?:bin|include|lib(?:32|64|x32|exec)?|local|sbin|share)|var|var\/(?:lib|log)|users|users\/[^/]+|system|library|applications|volumes|private|private\/etc|private\/var|windows|cygdrive(?:\/[a-z])?|mnt\/[a-z])$/i

/** The same words appear in many hints, with the same folders. */
const rootWords = new WeakMap<readonly string[], Map<string, boolean>>()

/** True if one of the alternatives of a word is such a path in one of the folders. */
function namesRoot(word: string, folders: readonly string[]): boolean {
  const answers = rootWords.get(folders) ?? new Map<string, boolean>()
  rootWords.set(folders, answers)
  const answer =
    answers.get(word) ?? choicesOf(word).some((one) => folders.some((folder) => isRoot(one, folder)))
  answers.set(word, answer)
  return answer
}

/** `{a,b}c` is `ac` and `bc`. A word with too many alternatives is returned unchanged. */
function choicesOf(word: string): readonly string[] {
  const found: string[] = []
  const open = [word]
  while (open.length > 0 && found.length + open.length < 100) {
    const next = open.pop() as string
    const brace = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(next)
    if (brace === null) found.push(next)
    else open.push(...(brace[2] as string).split(',').map((choice) => `${brace[1]}${choice}${brace[3]}`))
  }
  return [word, ...found, ...open]
}

/** True for `/`, `/*`, `/e*`, `/etc`, `~`, `$HOME`, and other spellings of them. */
function isRoot(word: string, folder: string): boolean {
  if (word.length > 4_096 || word.startsWith('-')) return false
  if (/^[A-Za-z]:[\\/]*\*?$/.test(word)) return true
  // Normalized first, so that each path has one spelling.
  const tilde = (text: string) => text.replace(/^\$(?:HOME|\{HOME[^}]*\})/, '~')
  const from = path.posix.isAbsolute(word) || /^[~$]/.test(word) ? '' : `${tilde(folder)}/`
  const home = path.posix.normalize(`${from}${tilde(word)}/`).slice(0, -1)
  if (/^~[^/]*(?:\/[*.]*)?$/.test(home)) return true
  if (!path.posix.isAbsolute(word) && !path.posix.isAbsolute(folder)) return false
  if (/^\.?\*$|^\.$/.test(word)) return systemFolder.test(folder) || folder === '/'
  const whole = path.posix.resolve('/', folder, word)
  // Any name at the top level, and everything in such a folder.
  if (/^\/[^/]*[*?[][^/]*$/.test(whole)) return true
  const bare = whole.replace(/\/(?:\.?\*+|\{[^}/]*\}|\.\[\^\.\]\*|\?+\*)$/, '') || '/'
  return bare === '/' || systemFolder.test(bare)
}

function dangerOfGit(given: readonly string[]): Danger | undefined {
  const [command, ...args] = given.slice(gitCommandAt(given))
  if ((command === 'push' || command === 'send-pack') && args.some(isForce))
    return { what: 'git push --force', reason: 'the command overwrites history that others use' }
  if (command === 'reset' && args.some((word) => word.length >= 3 && '--hard'.startsWith(word)))
    return { what: 'git reset --hard', reason: 'the command discards changes permanently' }
  return undefined
}

/** Git accepts the beginning of an option, such as `--forc`. */
function isForce(word: string): boolean {
  if (/^(?:--force-if-includes$|-[nqvud46]*f|--m(?:i(?:r(?:r(?:or?)?)?)?)?$|\+.)/.test(word)) return true
  return word.length >= 4 && '--force-with-lease'.startsWith(word.split('=')[0] as string)
}

function dangerOfWindows(program: string, args: readonly string[]): Danger | undefined {
  if (!/^(?:format|del|erase|rd|rmdir|remove-item|ri|rm)$/.test(program)) return undefined
  const has = (option: RegExp) => args.some((word) => option.test(word))
  if (program === 'format')
    return has(/^[a-z]:/i) ? { what: 'format', reason: 'the command formats a disk' } : undefined
  const reason = 'the command deletes everything below a root directory'
  if (/^(?:del|erase|rd|rmdir)$/.test(program) && has(/^\/s$/i) && has(/^[a-z]:[\\/]*\*?|^\\$|^%/i))
    return { what: `${program} /s`, reason }
  const isForced = has(/^-r(?:e|ec|ecu|ecur|ecurs|ecurse)?$/i) && has(/^-fo(?:r|rc|rce)?$/i)
  if (isForced && (has(/^[a-z]:|^\$env:|^\$home/i) || args.some((word) => isRoot(word, '.'))))
    return { what: 'Remove-Item -Recurse -Force', reason }
  return undefined
}

/** True if an option is among the words: in a cluster of short options, or as any prefix of its long name. */
export function hasOption(args: readonly string[], short: string, long: string): boolean {
  return args.some((word) => {
    if (word.startsWith('--'))
      return long !== '' && word.length > 2 && `--${long}`.startsWith(word.split('=')[0] as string)
    return /^-[A-Za-z]/.test(word) && [...short].some((letter) => word.includes(letter))
  })
}
