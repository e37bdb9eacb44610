import type { LintSubject } from '../subject.ts'
import { headerEffects } from './header-effects.ts'
import { type HostEffect, type HostEffects, type HostName, hosts } from './host.ts'
import { effectOfKey } from './host-keys.ts'
import { unknownNameEffects } from './unknown-name-effects.ts'

const markdown = ['copilot', 'claude', 'opencode', 'chatmode']

/** Returns what each host ignores in a file or reads differently. Absent for formats that no host reads. */
export function evaluateHosts(
  subject: LintSubject,
  wanted: readonly HostName[] = hosts.map(({ name }) => name),
): HostEffects | undefined {
  const { dialect, read, header, membership } = subject
  if (!markdown.includes(dialect)) return undefined
  const whole = headerEffects(subject)
  const values = new Map([...header.values()].map(({ written, value }) => [written, value]))
  const effects: { [host in HostName]?: readonly HostEffect[] } = {}
  for (const host of hosts) {
    if (!wanted.includes(host.name)) continue
    const found: HostEffect[] = []
    if (!host.dialects.includes(dialect))
      found.push({ key: '*', effect: 'ignored', note: `this host reads agents from ${host.looksIn}` })
    const ofHeader = whole.get(host.name) ?? []
    found.push(...ofHeader)
    effects[host.name] = found
    // If a host does not see or accept the header, its keys do not matter.
    if (ofHeader.some(({ key, effect }) => key === 'header' && effect !== 'differently')) continue
    const said = new Set(ofHeader.map(({ key }) => key))
    for (const { written, value } of header.values()) {
      if (said.has(written)) continue
      const effect = effectOfKey(host.name, written, { value, dialect, values })
      if (effect !== undefined) found.push(effect)
      else found.push(...unknownNameEffects(host.name, written, value))
    }
    // For plugins, Claude Code derives missing keys from the file and the plugin.
    if (host.name === 'claude' && membership.plugin !== undefined) continue
    const isDescribed =
      membership.plugin === undefined ? read.agent?.description !== '' : header.has('description')
    found.push(...missingKeyEffects(host.name, !isDescribed, header.has('name')))
  }
  return effects
}

const needsDescription: readonly HostName[] = ['copilot-harness', 'copilot-cli', 'github', 'claude']

function missingKeyEffects(host: HostName, undescribed: boolean, isNamed: boolean): HostEffect[] {
  const found: HostEffect[] = []
  const note = 'required: without it, the agent is not loaded'
  if (undescribed && needsDescription.includes(host))
    found.push({ key: 'description', effect: 'rejects', note })
  if (!isNamed && host === 'claude') found.push({ key: 'name', effect: 'rejects', note })
  return found
}
