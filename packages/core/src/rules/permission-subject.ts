import type { JudgedCall } from '../ports/gate.ts'
import type { Ports } from '../ports/ports.ts'
import type { CommandsOfCall, Tool } from '../ports/tool.ts'
import { targetsOf } from '../tree/targets-of.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { matchesAnything, matchesWildcard } from '../vocabulary/wildcard.ts'
import { pathSubject } from './permission-path.ts'

/** One subject of a call, for the patterns of permission rules. */
export interface Subject {
  /** For messages. Empty if the call has no particular subject. */
  readonly label: string
  /** True if any part or interpretation matches: enough for a restriction. */
  matchesSome(pattern: string): boolean
  /** True if every part matches in every interpretation: required to lift a restriction. */
  matchesWhole(pattern: string): boolean
}

/** The subjects of a call: files, a command, an address, an agent. A call without a subject matches only `*`. */
export function subjectsOf(
  { tool, input }: JudgedCall,
  workspace: string,
  locate?: Ports['locate'],
): readonly Subject[] {
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

/** Returns the address that a call contacts, if the tool declares it, or if a tool for the web has an argument `url`. */
function addressOf(tool: Tool, input: unknown): string | undefined {
  if (tool.address !== undefined) return tool.address(input)
  const url = tool.class === 'web' ? (input as { readonly url?: unknown } | null)?.url : undefined
  return typeof url === 'string' ? url : undefined
}

const nothing: Subject = { label: '', matchesSome: matchesAnything, matchesWhole: matchesAnything }

function agentSubject(target: string): Subject {
  const fits = (pattern: string) => matchesWildcard(nameKey(pattern), nameKey(target))
  return { label: target, matchesSome: fits, matchesWhole: fits }
}

/** Characters with which a line can contain several commands, or a different one than it appears to. */
const shellSyntax = /[;|&<>$`\n\r()]/

/** `found`: the commands that the line runs, if the tool could determine them. */
function commandSubject(command: string, found: CommandsOfCall | undefined): Subject {
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

/** Matches the URL as written and in its normal form: `HTTPS://Evil.test:443` is `https://evil.test/`. */
function addressSubject(address: string): Subject {
  const written = address.trim()
  const parsed = parse(written)
  const readings = parsed === undefined || parsed.href === written ? [written] : [written, parsed.href]
  const fits = (pattern: string, reading: string) => matchesWildcard(pattern, reading)
  return {
    label: written,
    matchesSome: (pattern) =>
      matchesHost(pattern, parsed, true) ?? readings.some((reading) => fits(pattern, reading)),
    matchesWhole: (pattern) =>
      matchesHost(pattern, parsed, false) ?? fits(pattern, parsed === undefined ? written : parsed.href),
  }
}

/** Matches patterns of Claude Code, such as `domain:example.com`. A restriction of a host also covers its subdomains. */
function matchesHost(pattern: string, parsed: URL | undefined, below: boolean): boolean | undefined {
  const host = /^domain:(.+)$/i.exec(pattern)?.[1]?.trim().toLowerCase()
  if (host === undefined) return undefined
  if (parsed === undefined) return below
  return matchesWildcard(host, parsed.hostname) || (below && parsed.hostname.endsWith(`.${host}`))
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
