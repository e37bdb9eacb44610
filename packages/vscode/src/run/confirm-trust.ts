import { shownLine } from '@cadre/gate'
import type { ConfirmTrust } from '@cadre/runtime'
import { ask } from '../messages.ts'

type Found = Parameters<ConfirmTrust>[0]

const trust = 'Trust'
const never = "Don't Trust"
/** More would not fit on a screen. */
const mostShown = 15

/** Shows what a folder contains and asks whether to use it. What was put off is not asked again in this window. */
export async function confirmTrust(
  { folder, missing }: Pick<Found, 'folder' | 'missing'>,
  declined: Set<string>,
): Promise<'yes' | 'no' | 'later'> {
  const key = JSON.stringify(missing.map(({ path, sha256 }) => [path, sha256]))
  if (declined.has(key)) return 'later'
  const lines = missing
    .slice(0, mostShown)
    .map(({ file, line, what }) => `${line === undefined ? file : `${file}:${line}`}: ${what}`)
  const more = missing.length > mostShown ? [`… and ${missing.length - mostShown} more`] : []
  const detail = [
    'This folder contains files that can run programs, start work or grant permissions:',
    '',
    ...[...lines, ...more].map((line) => `• ${shownLine(line, 300)}`),
    '',
    'Until you trust them, Cadre ignores them and agents are read-only. Your decision applies until these files change.',
  ].join('\n')
  const said = await ask(
    `Do you trust the agents, hooks and tools in ${shownLine(folder, 200)}?`,
    detail,
    trust,
    never,
  )
  if (said === trust) return 'yes'
  if (said === never) return 'no'
  declined.add(key)
  return 'later'
}
