import path from 'node:path'
import type { CommandLine, FoundCommand } from './command-line.ts'
import type { List } from './line/line.ts'
import { programOf } from './program-name.ts'
import { fetchers, sqlClients, writers } from './programs/known-programs.ts'

export interface Danger {
  readonly what: string
  readonly reason: string
}

const ends =
  /^(?:shutdown|reboot|halt|poweroff|telinit|mkfs(?:\..+)?|mke2fs|wipefs|blkdiscard|cryptsetup-reencrypt|newfs(?:_.+)?)$/
const disk =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|mapper|md|loop|sr|mem|kmem|port|nbd|zd|block|ram)/
/** To the end of the text where they have none: then each is looked at once. */
const comments = /\/\*(?!!).*?(?:\*\/|$)|--[^\n]*(?:\n|$)/gs
const drop = /\bdrop\s+(?:table|database|schema)\b/i

/** What is refused whatever anybody allows: whole disks, whole machines, history that others have. On words, never on text. */
export function findDanger({ commands, plan }: CommandLine): Danger | undefined {
  for (const command of commands) {
    const danger = dangerOf(command)
    if (danger !== undefined) return danger
  }
  if (runsWhatItFetches(commands))
    return { what: 'curl | sh', reason: 'it runs what it fetches from the network at once' }
  if (!commands.some(({ program }) => sqlClients.has(program))) return undefined
  const said = [...textsIn(plan ?? []), ...commands.flatMap(({ texts }) => texts)]
  return said.some((text) => drop.test(text.replace(comments, ' ')))
    ? { what: 'DROP TABLE', reason: 'it removes tables or databases' }
    : undefined
}

const readsCommands = /^(?:sh|bash|dash|ash|zsh|ksh|eval|source|\.)$/

/** A shell without a script of its own, behind a program that fetches: `curl … | sh`, `eval "$(curl …)"`. */
function runsWhatItFetches(commands: readonly FoundCommand[]): boolean {
  const fetches = commands.findIndex(({ program }) => fetchers.has(program))
  if (fetches < 0) return false
  return commands.slice(fetches + 1).some(({ texts }) => {
    const operand = texts.find((text, at) => at > 0 && !text.startsWith('-'))
    return readsCommands.test(texts[0] ?? '') && (operand === undefined || operand.includes('$('))
  })
}

/** The here-documents of a plain line. */
export function textsIn(list: List): readonly string[] {
  return list.flatMap(({ stages }) =>
    stages.flatMap((stage) => [
      ...stage.redirects.flatMap((redirect) => (redirect.kind === 'text' ? [redirect.text] : [])),
      ...(stage.kind === 'group' ? textsIn(stage.list) : []),
    ]),
  )
}

function dangerOf({ texts, program, redirects, folders }: FoundCommand): Danger | undefined {
  const device = redirects.find((redirect) => redirect.kind === 'write' && disk.test(redirect.path))
  if (device !== undefined) return { what: `> ${device.path}`, reason: 'it writes over a disk' }
  if (ends.test(program)) return { what: program, reason: `${program} ends the machine or formats a disk` }
  const args = texts.slice(1)
  if (program === 'git') return dangerOfGit(args)
  const endsMachine =
    (program === 'init' && /^[06]$/.test(args[0] ?? '')) ||
    (program === 'systemctl' &&
      args.some((word) => /^(?:poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency)$/.test(word)))
  if (endsMachine) return { what: program, reason: 'it ends the machine' }
  if (writers.has(program)) {
    // `dd` reads what `if=` names.
    const written = program === 'dd' ? args.filter((word) => word.startsWith('of=')) : args
    const target = written
      .map((word) => word.replace(/^of=/, ''))
      .find((word) => disk.test(path.posix.normalize(word)))
    if (target !== undefined) return { what: `${program} ${target}`, reason: 'it writes over a disk' }
  }
  return dangerOfFiles(program, args, folders) ?? dangerOfWindows(program, args)
}

function dangerOfFiles(
  program: string,
  args: readonly string[],
  folders: readonly string[],
): Danger | undefined {
  if (!/^(?:rm|chmod|chown|chgrp|setfacl|mv|g?find)$/.test(program)) return undefined
  const isRecursive = hasOption(args, 'rR', 'recursive')
  const roots = args.filter((word) =>
    choicesOf(word).some((choice) => folders.some((folder) => isRoot(choice, folder))),
  )
  if (program === 'rm' && hasOption(args, '', 'no-preserve-root'))
    return { what: 'rm --no-preserve-root', reason: 'it removes everything' }
  if (program === 'rm' && isRecursive && roots.length > 0)
    return { what: `rm -rf ${roots[0]}`, reason: 'it removes a whole system, a home, or everything' }
  if (/^(?:chmod|chown|chgrp|setfacl)$/.test(program) && isRecursive && roots.length > 0)
    return { what: `${program} -R ${roots[0]}`, reason: 'it changes the rights of a whole system or home' }
  if (program === 'mv' && args.slice(0, -1).some((word) => folders.some((folder) => isRoot(word, folder))))
    return { what: `mv ${roots[0]}`, reason: 'it moves a whole system or home away' }
  const removes =
    args.includes('-delete') ||
    args.some(
      (word, at) =>
        /^-(?:exec|ok)(?:dir)?$/.test(word) && /^(?:rm|shred|unlink)$/.test(programOf(args[at + 1] ?? '')),
    )
  if (/^g?find$/.test(program) && removes && roots.length > 0)
    return { what: `find ${roots[0]} -delete`, reason: 'it removes a whole system or home' }
  return undefined
}

const systemFolder =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|usr\/(?:bin|lib|local|sbin|share)|var|var\/(?:lib|log)|users|system|library|applications|volumes|private|private\/etc|private\/var|windows|cygdrive(?:\/[a-z])?|mnt\/[a-z])$/i

/** `{a,b}c` is `ac` and `bc`. What has too many choices is left as it is. */
function choicesOf(word: string): readonly string[] {
  const found: string[] = []
  const open = [word]
  while (open.length > 0 && found.length + open.length < 100) {
    const next = open.pop() as string
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(next)
    if (brace === null) found.push(next)
    else
      open.push(
        ...(brace[1] as string)
          .split(',')
          .map((choice) => next.slice(0, brace.index) + choice + next.slice(brace.index + brace[0].length)),
      )
  }
  return [word, ...found, ...open]
}

/** `/`, `/*`, `/e*`, `/etc`, `~`, `$HOME`, and other ways to write them. */
export function isRoot(word: string, folder: string): boolean {
  if (word.length > 4_096 || word.startsWith('-')) return false
  if (/^[A-Za-z]:[\\/]*\*?$/.test(word)) return true
  // Tidied up first, so that what follows has one way to be read.
  const home = path.posix.normalize(`${word.replace(/^\$(?:HOME|\{HOME[^}]*\})/, '~')}/`).slice(0, -1)
  if (/^~[^/]*(?:\/[*.]*)?$/.test(home)) return true
  if (!path.posix.isAbsolute(word) && !path.posix.isAbsolute(folder)) return false
  if (/^\.?\*$|^\.$/.test(word)) return systemFolder.test(folder) || folder === '/'
  const whole = path.posix.resolve('/', folder, word)
  // Names of the first level, whatever they are; and everything in a folder.
  if (/^\/[^/]*[*?[][^/]*$/.test(whole)) return true
  const bare = whole.replace(/\/(?:\.?\*+|\{[^}/]*\}|\.\[\^\.\]\*|\?+\*)$/, '') || '/'
  return bare === '/' || systemFolder.test(bare)
}

function dangerOfGit(given: readonly string[]): Danger | undefined {
  let at = 0
  // Options of git itself stand in front of its command.
  while (given[at]?.startsWith('-')) at += /^-[Cc]$/.test(given[at] as string) ? 2 : 1
  const [sub, ...args] = given.slice(at)
  if (sub === 'push') {
    const isForce = args.some(
      (word) =>
        (word.length >= 4 &&
          ('--force-with-lease'.startsWith(word.split('=')[0] as string) ||
            '--force-if-includes' === word)) ||
        /^-[nqvud46]*f/.test(word) ||
        /^--mi(?:r(?:r(?:or?)?)?)?$/.test(word) ||
        /^\+./.test(word),
    )
    if (isForce) return { what: 'git push --force', reason: 'it writes over history that others have' }
  }
  if (sub === 'reset' && args.some((word) => word.length >= 3 && '--hard'.startsWith(word) && word !== '--'))
    return { what: 'git reset --hard', reason: 'it throws away changes for good' }
  return undefined
}

function dangerOfWindows(program: string, args: readonly string[]): Danger | undefined {
  if (!/^(?:format|del|erase|rd|rmdir|remove-item|ri|rm)$/.test(program)) return undefined
  const words = args.map((word) => word.toLowerCase())
  if (program === 'format' && words.some((word) => /^[a-z]:/.test(word)))
    return { what: 'format', reason: 'it formats a disk' }
  if (
    /^(?:del|erase|rd|rmdir)$/.test(program) &&
    words.includes('/s') &&
    words.some((word) => /^[a-z]:[\\/]*\*?|^\\$|^%/.test(word))
  )
    return { what: `${program} /s`, reason: 'it removes everything below a root' }
  const isForced =
    words.some((word) => /^-r(?:e|ec|ecu|ecur|ecurs|ecurse)?$/.test(word)) &&
    words.some((word) => /^-fo(?:r|rc|rce)?$/.test(word))
  if (
    program !== 'format' &&
    isForced &&
    args.some((word) => isRoot(word, '.') || /^[a-z]:|^\$env:|^\$home/i.test(word))
  )
    return { what: 'Remove-Item -Recurse -Force', reason: 'it removes everything below a root' }
  return undefined
}

/** Whether an option is among the words: in a cluster, or as any beginning of its long name. */
export function hasOption(args: readonly string[], short: string, long: string): boolean {
  return args.some((word) => {
    if (word.startsWith('--'))
      return long !== '' && word.length > 2 && `--${long}`.startsWith(word.split('=')[0] as string)
    return /^-[A-Za-z]/.test(word) && [...short].some((letter) => word.includes(letter))
  })
}
