import type { JudgedCall } from '../ports/gate.ts'
import type { Ports } from '../ports/ports.ts'
import type { CommandsOfCall } from '../ports/tool.ts'
import { targetsOf } from '../tree/targets-of.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { fitsWildcard, isEverything } from '../vocabulary/wildcard.ts'
import { pathSubject } from './permission-path.ts'

/** One subject of a call, for the patterns of permission rules. */
export interface Subject {
  /** For messages. Empty if the call has no particular subject. */
  readonly label: string
  /** True if any part or interpretation matches: enough for a restriction. */
  fitsSome(pattern: string): boolean
  /** True if every part matches in every interpretation: required to lift a restriction. */
  fitsWhole(pattern: string): boolean
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
  if (tool.class === 'web' && typeof given['url'] === 'string') return [addressSubject(given['url'])]
  const paths = tool.paths?.(input) ?? []
  return paths.length === 0
    ? [nothing]
    : paths.map((path) => pathSubject(path, workspace, locate?.(path, workspace)))
}

const nothing: Subject = { label: '', fitsSome: isEverything, fitsWhole: isEverything }

function agentSubject(target: string): Subject {
  const fits = (pattern: string) => fitsWildcard(nameKey(pattern), nameKey(target))
  return { label: target, fitsSome: fits, fitsWhole: fits }
}

/** Characters with which a line can contain several commands, or a different one than it appears to. */
const shellSyntax = /[;|&<>$`\n\r()]/

/** `found`: the commands that the line runs, if the tool could determine them. */
function commandSubject(command: string, found: CommandsOfCall | undefined): Subject {
  const whole = inOneLine(command)
  const programs = found?.list.map(programText) ?? []
  const parts = [whole, ...command.split(shellSyntax).map(inOneLine), ...programs.flat()]
  const isPlain = found === undefined ? !shellSyntax.test(command.trim()) : false
  const isCovered = (pattern: string) =>
    found?.sure === true &&
    programs.length > 0 &&
    programs.every(([written = '']) => fitsCommand(pattern, written))
  return {
    label: whole.length <= 200 ? whole : `${whole.slice(0, 199)}…`,
    fitsSome: (pattern) => parts.some((part) => fitsCommand(pattern, part)),
    fitsWhole: (pattern) =>
      isEverything(pattern) || isCovered(pattern) || (isPlain && fitsCommand(pattern, whole)),
  }
}

/** The command as written, and with only the program's base name: `/bin/rm -r x` is also `rm -r x`. */
function programText([program = '', ...words]: readonly string[]): string[] {
  const bare = program.slice(program.lastIndexOf('/') + 1)
  return [program, ...(bare === program || bare === '' ? [] : [bare])].map((name) =>
    inOneLine([name, ...words].join(' ')),
  )
}

/** `git status *` also matches `git status`. */
function fitsCommand(pattern: string, command: string): boolean {
  const plain = inOneLine(pattern)
  return fitsWildcard(plain, command) || (plain.endsWith(' *') && fitsWildcard(plain.slice(0, -2), command))
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Matches the URL as written and in its normal form: `HTTPS://Evil.test:443` is `https://evil.test/`. */
function addressSubject(address: string): Subject {
  const written = address.trim()
  const parsed = parse(written)
  const readings = parsed === undefined || parsed.href === written ? [written] : [written, parsed.href]
  const fits = (pattern: string, reading: string) => fitsWildcard(pattern, reading)
  return {
    label: written,
    fitsSome: (pattern) =>
      fitsHost(pattern, parsed, true) ?? readings.some((reading) => fits(pattern, reading)),
    fitsWhole: (pattern) =>
      fitsHost(pattern, parsed, false) ?? fits(pattern, parsed === undefined ? written : parsed.href),
  }
}

/** Matches patterns of Claude Code, such as `domain:example.com`. A restriction of a host also covers its subdomains. */
function fitsHost(pattern: string, parsed: URL | undefined, below: boolean): boolean | undefined {
  const host = /^domain:(.+)$/i.exec(pattern)?.[1]?.trim().toLowerCase()
  if (host === undefined) return undefined
  if (parsed === undefined) return below
  return fitsWildcard(host, parsed.hostname) || (below && parsed.hostname.endsWith(`.${host}`))
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
