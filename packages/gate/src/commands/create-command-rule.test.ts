import path from 'node:path'
import type { JudgedCall, SessionSpec } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { createCommandRule } from './create-command-rule.ts'
import type { CommandRuleOptions } from './line-request.ts'
import { readAllowlist } from './read-allowlist.ts'

const workspace = '/w'
const options: CommandRuleOptions = {
  allowlists: () => [],
  execute: 'ask',
  sandboxed: true,
  beforehand: true,
  places: {
    judge({ path: written, write }) {
      const real = path.resolve(workspace, written)
      if (real !== workspace && !real.startsWith(`${workspace}/`))
        return { kind: 'outside', real, reason: 'it is outside' }
      if (write && real.startsWith('/w/.cadre'))
        return { kind: 'protected', real, reason: 'the path is protected' }
      return { kind: 'inside', real }
    },
    protectedIn: () => ['/w/.cadre'],
  },
}
const listed = (text: string) => readAllowlist(text, 'list.yaml').allowlist

function judge(
  command: unknown,
  more: Partial<CommandRuleOptions> = {},
  tool: object = { commands: () => ({ list: [], sure: true }) },
) {
  const call = { tool, input: { command } } as unknown as JudgedCall
  const verdict = createCommandRule({ ...options, ...more }).judge(
    call,
    { workspace } as SessionSpec,
    AbortSignal.abort(),
  )
  if (verdict instanceof Promise) throw new Error('the rule answers at once')
  return verdict
}

describe('the command rule', () => {
  it('reports the deciding pattern and the findings', () => {
    expect(judge('git status && ls src')).toEqual({
      kind: 'allow',
      by: 'policy',
      rule: 'allowlist: git status',
      readsOnly: true,
      risk: 'LOW',
      reasons: ['Read-only.'],
      commands: [
        { words: ['git', 'status'], decision: 'allow', reason: 'allowed by the pattern git status' },
        { words: ['ls', 'src'], decision: 'allow', reason: 'allowed by the pattern ls' },
      ],
      paths: [{ path: 'src', real: '/w/src', decision: 'allow' }],
    })
  })

  it.each([
    'git status',
    'git log --oneline | head -5',
    'timeout 60 git diff',
    'cd src && ls -la; cat a.txt 2>/dev/null',
    'sleep 30',
    'echo done > /dev/null',
  ])('recognises that %j only reads', (line) => {
    expect(judge(line)).toMatchObject({ kind: 'allow', readsOnly: true })
  })

  it.each([
    ['npm test', {}],
    ['git commit -m x', {}],
    ['git status > status.txt', { write: 'allow' }],
    ['git status && git commit -m x', {}],
    ['timeout 60 npm test', {}],
    ['git tag v1', {}],
    ['sort --output=a b', {}],
    ['> a.txt', { write: 'allow' }],
  ] as const)('does not treat %j as read-only', (line, more) => {
    expect(judge(line, { execute: 'allow', ...more })?.readsOnly).toBeUndefined()
  })

  it('ignores other tools', () => {
    expect(judge('rm -rf /', {}, {})).toBeUndefined()
    expect(judge(7)).toBeUndefined()
  })

  it('offers a grant for plain commands only', () => {
    expect(judge('npm test && npm run lint')).toMatchObject({
      kind: 'ask',
      grants: ['command: npm test · no program · in .', 'command: npm run lint · no program · in .'],
    })
    expect(judge('npm test && ls')).toMatchObject({ grants: ['command: npm test · no program · in .'] })
    expect(judge('npm test $x')).not.toHaveProperty('grants')
    expect(judge('npm test; $x')).not.toHaveProperty('grants')
    expect(judge('npm test > /var/x')).not.toHaveProperty('grants')
  })

  it('applies the strictest of several lists, and the shipped list only if none of them matches', () => {
    const lists = (...texts: string[]) => ({ allowlists: () => texts.map(listed) })
    expect(judge('make', lists('make: true', ''))).toMatchObject({ kind: 'allow' })
    expect(judge('make', lists('make: true', 'make: ask'))).toMatchObject({
      kind: 'ask',
      rule: 'allowlist: make',
    })
    expect(judge('make', lists('make: deny', 'make: true'))).toMatchObject({ kind: 'deny' })
    expect(judge('ls', lists('ls: false'))).toMatchObject({ kind: 'ask' })
    expect(judge('ls', lists('ls: null'))).toMatchObject({ kind: 'ask', rule: 'commands.unlisted' })
    expect(judge('timeout 5 ls', lists('timeout: deny'))).toMatchObject({
      kind: 'deny',
      rule: 'allowlist: timeout',
    })
    expect(judge('bash -c ls', lists('bash: ask'))).toMatchObject({ kind: 'ask', rule: 'allowlist: bash' })
  })

  it('allows an unlisted option only where the pattern names it', () => {
    const lists = (text: string) => ({ allowlists: () => [listed(text)] })
    expect(judge('sort -o out a', lists('sort: true'))).toMatchObject({ kind: 'ask' })
    expect(judge('sort -o out a', lists('sort -o: true'))).toMatchObject({ kind: 'allow' })
    expect(judge('sort --compress-program=x a', lists('sort: true'))).toMatchObject({ kind: 'ask' })
    expect(judge('git branch -D x', lists('git branch: true'))).toMatchObject({ kind: 'ask' })
    expect(judge('git branch -D x', lists('git branch -D: true'))).toMatchObject({ kind: 'allow' })
  })

  it('keeps the meaning of a pattern for a program without listed options', () => {
    const lists = { allowlists: () => [listed('python3: true')] }
    expect(judge('python3 -c 1', lists)).toMatchObject({ kind: 'allow', rule: 'allowlist: python3' })
  })

  it('asks about every line that needs a shell, even if a list allows it', () => {
    const lists = { allowlists: () => [listed('ls: true\necho: true')] }
    for (const line of ['ls $x', 'ls $(echo a)', 'echo `ls`', 'ls & ls', 'for i in a; do ls; done', 'ls ~'])
      expect(judge(line, lists), line).toMatchObject({ kind: 'ask', rule: 'commands.shell' })
  })

  it('asks for anything but reading without a sandbox, unless the rule is the user’s own', () => {
    const text = 'npm: true\nmake: true\n./x.sh: true\ngit checkout: true\nmkdir: true'
    const lists = { allowlists: () => [listed(text)] }
    const own = { allowlists: () => [readAllowlist(text, 'list.yaml', () => true).allowlist] }
    for (const line of ['npm test', 'make', './x.sh', 'git checkout main', 'timeout 5 make', 'mkdir x']) {
      expect(judge(line, lists), line).toMatchObject({ kind: 'allow' })
      expect(judge(line, { ...lists, sandboxed: false }), line).toMatchObject({ kind: 'ask' })
      expect(judge(line, { ...own, sandboxed: false }), line).toMatchObject({ kind: 'allow' })
    }
    for (const line of ['git -C src status', 'cd src && git status']) {
      expect(judge(line, lists), line).toMatchObject({ kind: 'allow' })
      expect(judge(line, { ...lists, sandboxed: false }), line).toMatchObject({ kind: 'ask' })
    }
    expect(judge('git status', { ...lists, sandboxed: false })).toMatchObject({ kind: 'allow' })
    expect(judge('cat a | sort', { ...lists, sandboxed: false })).toMatchObject({ kind: 'allow' })
  })

  it('follows the policy', () => {
    expect(judge('ls', { execute: 'deny' })).toMatchObject({ kind: 'deny', rule: 'effects.execute' })
    expect(judge('ls', { beforehand: false })).toMatchObject({ kind: 'ask' })
    expect(judge('unknown x', { execute: 'allow' })).toMatchObject({ kind: 'allow' })
    expect(judge('rm x', { execute: 'allow' })).toMatchObject({ kind: 'ask', risk: 'HIGH' })
    expect(judge('$x', { execute: 'allow' })).toMatchObject({ kind: 'ask' })
    expect(judge('rm -rf /', { execute: 'allow' })).toMatchObject({
      kind: 'deny',
      rule: 'dangerous: rm -rf /',
    })
    expect(judge('ls > x', { write: 'allow' })).toMatchObject({ kind: 'allow' })
    expect(judge('ls > x', { write: 'deny' })).toMatchObject({ kind: 'deny' })
    expect(judge('ls > .cadre/x', { write: 'allow' })).toMatchObject({ kind: 'deny', rule: 'commands.paths' })
    expect(judge('ls > /tmp/x', { write: 'allow' })).toMatchObject({ kind: 'allow' })
    expect(judge('ls > /tmp/x', { write: 'allow', sandboxed: false })).toMatchObject({ kind: 'ask' })
    expect(judge('ls > /var/x', { write: 'allow' })).toMatchObject({ kind: 'ask' })
  })

  it('treats words after the first operand as files for programs that do', () => {
    expect(judge("awk -F , '{print $1}' a")).toMatchObject({ kind: 'allow' })
    expect(judge("awk '{print $1}' -F /etc/passwd")).toMatchObject({ kind: 'ask' })
    expect(judge('xxd -c 8 a')).toMatchObject({ kind: 'allow' })
    for (const line of ['xxd a -c8', 'xxd a --', 'xxd -ac 3 out', 'xxd a out'])
      expect(judge(line), line).toMatchObject({ kind: 'ask' })
  })

  it('checks the target of a cd, and a file named -', () => {
    expect(judge('cd src')).toMatchObject({ kind: 'allow' })
    expect(judge('cd ..')).toMatchObject({ kind: 'ask', rule: 'commands.paths' })
    expect(judge('ls > -', { write: 'allow' })).toMatchObject({ paths: [{ path: '-', real: '/w/-' }] })
  })

  it('leaves a pattern with two slashes in a row to a shell', () => {
    expect(judge('ls src//*')).toMatchObject({ kind: 'ask', rule: 'commands.shell' })
  })

  it('denies the whole line if one part is denied', () => {
    expect(judge('$x; touch .cadre/y')).toMatchObject({ kind: 'deny' })
    expect(judge('npm test; rm -rf ~')).toMatchObject({ kind: 'deny' })
  })
})
