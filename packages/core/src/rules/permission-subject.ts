import type { JudgedCall } from '../ports/gate.ts'
import type { Ports } from '../ports/ports.ts'
import type { CommandsOfCall } from '../ports/tool.ts'
import { targetsOf } from '../tree/targets-of.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { matchesAnything, matchesWildcard } from '../vocabulary/wildcard.ts'
import { addressOf } from './address-of.ts'
import type { CallSubject } from './call-subject.ts'
import { permissionCoversAddress, restrictionCoversAddress } from './host-pattern.ts'
import { pathSubject } from './permission-path.ts'

/** The subjects of a call: files, a command, an address, an agent. A call without a subject matches only `*`. */
export function subjectsOf(
  { tool, input }: JudgedCall,
  workspace: string,
  locate?: Ports['locate'],
): readonly CallSubject[] {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const agents = targetsOf(tool, input)
  if (agents.length > 0) return agents.map(agentSubject)
  if (tool.class === 'execute' && typeof given['command'] === 'string')
    return [commandSubject(given['command'], tool.commands?.(input))]
  const address = addressOf(tool, input)
  const paths = tool.paths?.(input) ?? []
  const subjects = [
    ...(address === undefined ? [] : [addressSubject(address)]),
    ...paths.map((path) => pathSubject(path, workspace, locate?.(path, workspace))),
  ]
  return subjects.length === 0 ? [nothing] : subjects
}

const nothing: CallSubject = { label: '', matchesSome: matchesAnything, matchesWhole: matchesAnything }

function agentSubject(target: string): CallSubject {
  const fits = (pattern: string) => matchesWildcard(nameKey(pattern), nameKey(target))
  return { label: target, matchesSome: fits, matchesWhole: fits }
}

/** Characters with which a line can contain several commands, or a different one than it appears to. */
const shellSyntax = /[;|&<>$`\n\r()]/

/** `found`: the commands that the line runs, if the tool could determine them. */
function commandSubject(command: string, found: CommandsOfCall | undefined): CallSubject {
  const whole = collapseSpaces(command)
  const programs = found?.list.map(programText) ?? []
  const parts = [whole, ...command.split(shellSyntax).map(collapseSpaces), ...programs.flat()]
  const isPlain = found === undefined ? !shellSyntax.test(command.trim()) : false
  const isCovered = (pattern: string) =>
    found?.sure === true &&
    programs.length > 0 &&
    programs.every(([written = '']) => matchesCommand(pattern, written))
  return {
    label: whole.length <= 200 ? whole : `${whole.slice(0, 199)}…`,
    matchesSome: (pattern) => parts.some((part) => matchesCommand(pattern, part)),
    matchesWhole: (pattern) =>
      matchesAnything(pattern) || isCovered(pattern) || (isPlain && matchesCommand(pattern, whole)),
  }
}

/** The command as written, and with only the program's base name: `/bin/rm -r x` is also `rm -r x`. */
function programText([program = '', ...words]: readonly string[]): string[] {
  const bare = program.slice(program.lastIndexOf('/') + 1)
  return [program, ...(bare === program || bare === '' ? [] : [bare])].map((name) =>
    collapseSpaces([name, ...words].join(' ')),
  )
}

/** `git status *` also matches `git status`. */
function matchesCommand(pattern: string, command: string): boolean {
  const plain = collapseSpaces(pattern)
  return (
    matchesWildcard(plain, command) || (plain.endsWith(' *') && matchesWildcard(plain.slice(0, -2), command))
  )
}

function collapseSpaces(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function addressSubject(address: string): CallSubject {
  return {
    label: address.trim(),
    matchesSome: (pattern) => restrictionCoversAddress(pattern, address),
    matchesWhole: (pattern) => permissionCoversAddress(pattern, address),
  }
}
