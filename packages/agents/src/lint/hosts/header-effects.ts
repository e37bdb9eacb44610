import { readYaml } from '@cadre/disk'
import type { LintSubject } from '../subject.ts'
import type { WrittenHeader } from '../written-header.ts'
import type { HostEffect, HostName } from './host.ts'

/**
 * Returns how hosts read a header as a whole, which they split off and parse differently. Known differences: text before
 * the first dashes, dashes inside, unquoted values with `: `, block scalars.
 */
export function headerEffects({
  path,
  text,
  read: { agent, rescued },
  header,
  membership: { plugin },
}: LintSubject): Map<HostName, HostEffect[]> {
  const effects = new Map<HostName, HostEffect[]>()
  const add = (hosts: readonly HostName[], ...found: readonly HostEffect[]) => {
    for (const host of hosts) {
      const isTaken = host === 'claude' && plugin !== undefined
      effects.set(host, [...(effects.get(host) ?? []), ...(isTaken ? found.map(acceptedByClaude) : found)])
    }
  }
  const hasMark = text.startsWith('\ufeff')
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const raw = rawHeader(plain)
  if (raw === undefined) {
    add(['vscode', 'opencode'], {
      key: 'header',
      effect: 'ignored',
      note: 'this host finds no header, so the agent has every tool',
    })
    add(strict, {
      key: 'header',
      effect: 'rejects',
      note: 'this host finds no header, so it does not load the agent',
    })
    return effects
  }
  if (hasMark) {
    const note = 'this host does not find a header after a byte order mark'
    add(['vscode'], { key: 'header', effect: 'ignored', note: `${note}, so the agent has every tool` })
    add(['claude'], { key: 'header', effect: 'rejects', note: `${note}, so it does not load the agent` })
  }
  addCuts({ path, plain, raw, header }, add)
  addValues(raw, header, add)
  if (agent !== undefined && rescued !== true) return effects
  const read = readYaml({ text: raw.text, path, firstLine: 2 })
  if (read.kind === 'broken') {
    const line = read.diagnostics[0]?.line ?? 2
    const broken = {
      key: 'header',
      effect: 'rejects',
      note: `line ${line} is not valid YAML, so the agent does not load`,
    } as const
    add(['copilot-harness', 'copilot-cli', 'github'], broken)
    add(
      ['claude'],
      isValidWhenQuoted(path, raw.text, claudeQuotes)
        ? {
            key: 'header',
            effect: 'differently',
            note: 'the header is not valid YAML, so this host puts some values in quotes and tries again',
          }
        : broken,
    )
    if (!isValidWhenQuoted(path, raw.text, (value) => value.includes(':'))) add(['opencode'], broken)
  }
  return effects
}

/** Claude Code accepts plugin files without a readable header. */
function acceptedByClaude(effect: HostEffect): HostEffect {
  if (effect.effect !== 'rejects') return effect
  return {
    ...effect,
    effect: 'ignored',
    note: 'this host cannot read the header, so the agent has every tool',
  }
}

const strict: readonly HostName[] = ['copilot-harness', 'copilot-cli', 'github', 'claude']

type Add = (hosts: readonly HostName[], ...found: readonly HostEffect[]) => void

interface RawHeader {
  readonly text: string
  /** The position of the closing dashes in the text. */
  readonly end: number
}

/** Splits at whole lines, as intended. */
function rawHeader(plain: string): RawHeader | undefined {
  const opening = /^---[ \t]*\n/.exec(plain)
  if (opening === null) return undefined
  for (let at = opening[0].length; at <= plain.length; ) {
    const stop = plain.indexOf('\n', at)
    const line = stop === -1 ? plain.slice(at) : plain.slice(at, stop)
    if (line.trimEnd() === '---') return { text: plain.slice(opening[0].length, at), end: at }
    if (stop === -1) return undefined
    at = stop + 1
  }
  return undefined
}

interface CutHeader {
  readonly path: string
  readonly plain: string
  readonly raw: RawHeader
  readonly header: WrittenHeader
}

/** Hosts that end the header at dashes anywhere, or at the end of any line. */
function addCuts({ path, plain, raw, header }: CutHeader, add: Add): void {
  const first = plain.indexOf('\n')
  let anywhere: number | undefined
  let atLineEnd: number | undefined
  for (let at = plain.indexOf('---', first); at !== -1 && at < raw.end; at = plain.indexOf('---', at + 1)) {
    anywhere ??= at
    const stop = plain.indexOf('\n', at)
    if (plain.slice(at + 3, stop === -1 ? undefined : stop).trim() === '') atLineEnd ??= at
  }
  const report = (hosts: readonly HostName[], at: number | undefined, retries: boolean) => {
    if (at === undefined) return
    const line = plain.slice(0, at).split('\n').length
    const note = `this host ends the header at the dashes on line ${line}`
    const text = plain.slice(first + 1, at)
    const isReadable =
      readYaml({ text, path }).kind === 'read' || (retries && isValidWhenQuoted(path, text, claudeQuotes))
    if (isReadable)
      add(hosts, { key: 'header', effect: 'differently', note }, ...lostKeys(header, line, note))
    else
      add(hosts, {
        key: 'header',
        effect: 'rejects',
        note: `${note}. The part above is not valid YAML, so the agent does not load`,
      })
  }
  report(['claude'], anywhere, true)
  report(['copilot-cli', 'copilot-harness'], atLineEnd, false)
}

/** VS Code has its own YAML parser: older versions do not support block scalars, newer ones stop at `: ` in a plain value. */
function addValues(raw: RawHeader, header: WrittenHeader, add: Add): void {
  let stopped = false
  for (const [index, written] of raw.text.split('\n').entries()) {
    const match = /^["']?([\w-]+)["']?[ \t]*:[ \t]+(\S.*)$/.exec(written)
    if (match === null) continue
    const [, key = '', value = ''] = match
    const line = index + 2
    if (/^[|>][-+0-9]*\s*(?:#.*)?$/.test(value))
      add(['vscode'], { key, effect: 'differently', note: 'older versions do not support | and >' })
    if (!stopped && !/^["'[{|>&*!#%@`]/.test(value) && /:(?:\s|$)/.test(value)) {
      stopped = true
      const note = `newer versions stop reading at the ": " on line ${line}`
      add(['vscode'], { key, effect: 'differently', note }, ...lostKeys(header, line, note))
    }
  }
}

/** Returns the keys below a line, for a host that stops there. Without `tools`, an agent has all tools. */
function lostKeys(header: WrittenHeader, line: number, note: string): HostEffect[] {
  return [...header].flatMap(([plain, key]) => {
    if (key.line <= line) return []
    const all = plain === 'tools' ? ', so the agent has every tool' : ''
    return [{ key: key.written, effect: 'ignored' as const, note: `${note}${all}` }]
  })
}

const claudeQuotes = (value: string) => /[{}[\]*&#!|>%@`]/.test(value)

/** True if the header is valid once single-line values are quoted where needed. */
function isValidWhenQuoted(path: string, text: string, needsQuotes: (value: string) => boolean): boolean {
  const mended = text.replace(
    /^([a-zA-Z_-]+):[ \t]+(\S.*)$/gm,
    (whole: string, key: string, value: string) =>
      /^["']/.test(value) || !needsQuotes(value) ? whole : `${key}: ${JSON.stringify(value)}`,
  )
  return readYaml({ text: mended, path }).kind === 'read'
}
