import { describe, expect, it } from 'vitest'
import { describeCommand } from './programs/describe-command.ts'
import { readOnlyPrograms } from './programs/readers.ts'
import { readAllowlist } from './read-allowlist.ts'

function ask(text: string, command: string, line = command) {
  return readAllowlist(text, 'list.yaml').allowlist.match(command.split(' '), line)?.decision
}

describe('an allowlist', () => {
  it.each([
    ['git status: true', 'git status', 'allow'],
    ['git status: true', 'git status -s', 'allow'],
    ['git status: true', 'git push', undefined],
    ['ls: true', 'lsof', undefined],
    ['ls: true', './ls', undefined],
    ['ls: true', '/tmp/ls', undefined],
    ['ls: true', '/bin/ls', 'allow'],
    ['ls: true', '/usr/bin/ls', 'allow'],
    ['ls: true', '/usr/local/bin/ls', undefined],
    ['/bin/ls: true', '/bin/ls', 'allow'],
    ['./run.sh: true', './run.sh', 'allow'],
    ['./run.sh: true', 'run.sh', undefined],
    ["'docker ps*': true", 'docker ps -a', 'allow'],
    ["'docker ps*': true", 'docker rm x', undefined],
    ["'docker ps*': true", 'docker', undefined],
    ["'npm run *': true", 'npm run build', 'allow'],
    ["'npm run *': true", 'npm run', 'allow'],
    ["'npm run *': true", 'npm install', undefined],
    ["'git * --stat': true", 'git log --stat', 'allow'],
    ["'git * --stat': true", 'git log -p --stat', undefined],
    ["'npm run test:*': true", 'npm run test:unit', 'allow'],
    ["'npm run test:*': true", 'npm run build', undefined],
    ['rm: false', 'rm x', 'ask'],
    ['rm: ask', 'rm x', 'ask'],
    ['rm: deny', 'rm x', 'deny'],
    ['rm: null', 'rm x', undefined],
    ['rm:', 'rm x', undefined],
    ['rm: {approve: true}', 'rm x', 'allow'],
    ['rm: {approve: false}', 'rm x', 'ask'],
    ['rm: {approve: null}', 'rm x', undefined],
    ['rm: {approve: deny}', 'rm x', 'deny'],
    ["'*': ask", 'anything', 'ask'],
    ["'*': deny", 'anything', 'deny'],
  ])('%s: %s is %s', (text, command, decision) => {
    expect(ask(text, command)).toBe(decision)
  })

  it.each([
    ['/^git (status|log)$/: true', 'git log', 'allow'],
    ['/^git (status|log)/: true', 'git log -n 1', 'allow'],
    ['/^git (status|log)/: true', 'git logx', undefined],
    ['/ls/: true', 'rm tools', undefined],
    ['/status/: true', 'git status', undefined],
    ['/^GIT STATUS$/i: true', 'git status', 'allow'],
    ['/^GIT STATUS$/: true', 'git status', undefined],
    ['/-rf/: deny', 'rm -rf x', 'deny'],
  ])('compares a regular expression: %s: %s is %s', (text, command, decision) => {
    expect(ask(text, command)).toBe(decision)
  })

  it('prefers a longer pattern over a shorter one, and a deny over all', () => {
    const text =
      'git: ask\ngit status: allow\ngit push: allow\ngit push --force: ask\nnpm: allow\nnpm publish: deny\nnpm publish --dry-run: allow\n'
    expect(ask(text, 'git status')).toBe('allow')
    expect(ask(text, 'git log')).toBe('ask')
    expect(ask(text, 'git push origin')).toBe('allow')
    expect(ask(text, 'git push --force')).toBe('ask')
    expect(ask(text, 'npm publish --dry-run')).toBe('deny')
    expect(ask('npm test: allow\n/^npm test/: ask\n', 'npm test')).toBe('ask')
    expect(ask('npm: ask\n/^npm test/: allow\n', 'npm test')).toBe('ask')
  })

  it('compares a whole line only with matchCommandLine', () => {
    const text = "'ls | wc': {approve: true, matchCommandLine: true}"
    expect(ask(text, 'wc', 'ls | wc')).toBe('allow')
    expect(ask(text, 'wc', 'ls | wc; rm x')).toBeUndefined()
    expect(ask('/^ls/: {approve: true, matchCommandLine: true}', 'rm x', 'ls; rm x')).toBeUndefined()
    expect(ask('/rm/: {approve: deny, matchCommandLine: true}', 'ls', 'ls; rm x')).toBe('deny')
  })

  it.each([
    ['ls: yes please', 1],
    ['ls: 1', 1],
    ['ls: [true]', 1],
    ['pwd: true\nls: {approve: true, extra: 1}', 2],
    ['ls: {approve: true, matchCommandLine: x}', 1],
    ["'*': true", 1],
    ["'* status': true", 1],
    ["'ls; rm': true", 1],
    ["'ls | wc': true", 1],
    ["'ls $(x)': true", 1],
    ["'': true", 1],
    ['/^(a+)+$/: true', 1],
    ['/^(a|b)*$/: true', 1],
    ['/^(a)\\1/: true', 1],
    ['/a.*b.*c.*d.*e.*/: true', 1],
    ['/(/: true', 1],
    ['/a/yx: true', 1],
    ['- ls\n- cat', 1],
    ['ls', 1],
    ['ls: true\nls: false', 2],
    ['ls: [', 1],
  ])('reports the error in %j, and allows nothing because of it', (text, line) => {
    const { allowlist, diagnostics } = readAllowlist(text, 'list.yaml')
    expect(diagnostics[0]).toMatchObject({ path: 'list.yaml', line, severity: 'error' })
    for (const command of ['ls', 'ls -la', 'wc', 'aaaa', 'x status'])
      expect(allowlist.match(command.split(' '), command)?.decision).not.toBe('allow')
  })

  it.each(['ls: [', '- ls', 'ls', 'cat: true\n"a | b": deny', 'ls: true\nls: deny'])(
    'asks about everything if it is unknown what %j denies, and reports this',
    (text) => {
      const { allowlist, diagnostics, widens } = readAllowlist(text, 'list.yaml')
      expect(allowlist.match(['cat', 'a'], 'cat a')?.decision).toBe('ask')
      expect(diagnostics[0]?.fix).toContain('every command needs approval')
      expect(widens).toBe(text.startsWith('cat: true'))
    },
  )

  it('asks about commands with an invalid value, and no others', () => {
    expect(ask('ls: maybe\ncat: true', 'ls -la')).toBe('ask')
    expect(ask('ls: maybe\ncat: true', 'cat a')).toBe('allow')
    expect(ask('ls: maybe', 'wc')).toBeUndefined()
  })

  it('reports whether it allows anything', () => {
    expect(readAllowlist('ls: true', 'a').widens).toBe(true)
    expect(readAllowlist('rm: deny\nls: false\ncat: null', 'a').widens).toBe(false)
    expect(readAllowlist('', 'a')).toMatchObject({ widens: false, diagnostics: [] })
  })

  it('rejects a regular expression that is slow on long lines, and asks if it cannot compare', () => {
    const { allowlist } = readAllowlist('/^x.*y.*z.*w$/: deny', 'a')
    const word = 'x'.repeat(3_000)
    expect(allowlist.match([word], word)?.decision).toBe('ask')
    expect(readAllowlist('/^x.*y.*z.*w$/: allow', 'a').allowlist.match([word], word)).toBeUndefined()
  })
})

const describeLine = (line: string) => describeCommand(line.split(' ').map((text) => ({ text })))

describe('the shipped list', () => {
  it('has a valid spec for every listed program', () => {
    expect(Object.keys(readOnlyPrograms).length).toBeGreaterThan(70)
    for (const name of Object.keys(readOnlyPrograms))
      expect(describeCommand([{ text: name }]), name).toMatchObject({ isReader: true })
  })

  it.each([
    'ls -la src',
    'git status',
    'git log --oneline -n 5',
    'git branch -a',
    'sort -u a',
    'find . -name x',
    'node --version',
    'command -v node',
  ])('treats %s as read-only', (line) => {
    expect(describeLine(line)).toMatchObject({ isReader: true, unlisted: [] })
  })

  it.each([
    'rm x',
    'git push',
    'git branch new',
    'git tag v1',
    'git remote add a b',
    'git log --output=x',
    'npm test',
    'curl x',
    'tee x',
    'kill 1',
    'docker rm x',
    'bash x',
    'sort -o x a',
    'find . -delete',
    'command touch x',
  ])('does not treat %s as read-only', (line) => {
    const described = describeLine(line)
    expect(described?.isReader === true && described.unlisted.length === 0).toBe(false)
  })
})
