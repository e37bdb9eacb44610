import path from 'node:path'
import { type Allowlist, type CommandRuleOptions, judgeLine, readAllowlist } from '@cadre/gate'

export const workspace = '/w/project'
const protectedPaths = ['.github/hooks', '.cadre', '.git/config', '.git/hooks'].map((item) =>
  path.join(workspace, item),
)

/** Judges paths only as written: a table of lines must not depend on a disk. */
export const places: CommandRuleOptions['places'] = {
  judge({ path: written, workspace: root, write }) {
    const real = path.resolve(root, written)
    if (real !== root && !real.startsWith(`${root}/`))
      return { kind: 'outside', real, reason: 'it is outside' }
    const isProtected = protectedPaths.some((item) => real === item || real.startsWith(`${item}/`))
    return isProtected && write
      ? { kind: 'protected', real, reason: 'it is protected' }
      : { kind: 'inside', real }
  },
  protectedIn: () => protectedPaths,
}

const lists = new Map<string, Allowlist>()

export function judge(line: string, list = '', more: Partial<CommandRuleOptions> = {}) {
  let allowlist = lists.get(list)
  if (allowlist === undefined) {
    allowlist = readAllowlist(list, 'list.yaml').allowlist
    lists.set(list, allowlist)
  }
  const used = allowlist
  const options: CommandRuleOptions = {
    allowlists: () => [used],
    execute: 'ask',
    sandboxed: true,
    places,
    beforehand: true,
    ...more,
  }
  return judgeLine(line, workspace, options)
}
