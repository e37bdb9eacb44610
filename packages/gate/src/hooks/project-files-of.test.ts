import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { agentHooksItem } from './agent-hooks.ts'
import { findHooks } from './find-hooks.ts'
import { projectFilesOf } from './project-files-of.ts'

let root: string
let project: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-files-')))
  // With a space, as many folders of users have.
  project = path.join(root, 'a project')
  for (const name of [
    'scripts/check.sh',
    'scripts/my guard.sh',
    'tools/guard',
    'package.json',
    'Makefile',
    'README.md',
    '.cadre/own.sh',
  ]) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
    writeFileSync(path.join(project, name), '{}')
  }
  writeFileSync(path.join(project, 'program'), '')
  chmodSync(path.join(project, 'program'), 0o755)
  return () => rmSync(root, { recursive: true, force: true })
})

const filesOf = (command: string, except?: string) =>
  projectFilesOf({ action: { kind: 'command', command, shell: 'bash' } }, project, except).map(
    ({ path: file }) => path.relative(project, file),
  )

it.each([
  ['./scripts/check.sh', ['scripts/check.sh']],
  ['cd scripts && ./check.sh', ['scripts/check.sh']],
  ['$CLAUDE_PROJECT_DIR/scripts/check.sh --all', ['scripts/check.sh']],
  [`bash "\${CLAUDE_PROJECT_DIR:-.}/scripts/check.sh" || exit 2`, ['scripts/check.sh']],
  ['"$CLAUDE_PROJECT_DIR"/scripts/check.sh', ['scripts/check.sh']],
  [`'\${CLAUDE_PROJECT_DIR}'/scripts/'check.sh'`, ['scripts/check.sh']],
  ['bash "$CLAUDE_PROJECT_DIR/scripts/my guard.sh"', ['scripts/my guard.sh']],
  ["sh 'scripts/my guard.sh'", ['scripts/my guard.sh']],
  ['scripts/my\\ guard.sh', ['scripts/my guard.sh']],
  ['cd "$CLAUDE_PROJECT_DIR"/scripts && ./check.sh', ['scripts/check.sh']],
  [`bash -c '"$CLAUDE_PROJECT_DIR"/scripts/check.sh'`, ['scripts/check.sh']],
  [`sh -c "bash -c '\\"$PWD\\"/scripts/check.sh;true'"`, ['scripts/check.sh']],
  ['cd "$PWD/scripts"; sh "my guard.sh"', ['scripts/my guard.sh']],
  ['cd -P -- scripts && ./check.sh', ['scripts/check.sh']],
  ["bash -c 'set -e; cd scripts && ./check.sh'", ['scripts/check.sh']],
  [`sh -c "cd \\"$PWD/scripts\\" && sh 'my guard.sh'"`, ['scripts/my guard.sh']],
  ['exec 2>/dev/null;scripts/check.sh', ['scripts/check.sh']],
  ['true >&2&&scripts/check.sh', ['scripts/check.sh']],
  ['python3 tools/guard', ['tools/guard']],
  ['bash -e tools/guard', ['tools/guard']],
  ['./program', ['program']],
  ['npm run check', ['package.json']],
  ['/usr/bin/npx prettier --check .', ['package.json']],
  ['make -s check', ['Makefile']],
  ['cat README.md', []],
  ['echo done', []],
  ['node ~/hooks/own.mjs', []],
  ['./scripts/missing.sh', []],
])('%s runs %j of the project', (command, files) => {
  expect(filesOf(command)).toEqual(files)
})

it('omits files in the user’s own home', () => {
  expect(filesOf('.cadre/own.sh')).toEqual(['.cadre/own.sh'])
  expect(filesOf('.cadre/own.sh', path.join(project, '.cadre'))).toEqual([])
})

it('does not run a user’s hook that runs project files until a person trusts them', () => {
  const userHome = path.join(root, 'user')
  mkdirSync(path.join(userHome, '.claude'), { recursive: true })
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }]
  writeFileSync(
    path.join(userHome, '.claude', 'settings.json'),
    JSON.stringify({ hooks: { PreToolUse: hook('./scripts/check.sh'), Stop: hook('true') } }),
  )
  const found = (agreed: ReadonlySet<string>) =>
    findHooks({ project, userHome, trusted: ({ path: at, sha256 }) => agreed.has(`${at} ${sha256}`) })
  const before = found(new Set())
  const idle = (hooks: typeof before.hooks) => hooks.map(({ event, idle: why }) => [event, why !== undefined])
  expect(idle(before.hooks)).toEqual([
    ['PreToolUse', true],
    ['Stop', false],
  ])
  const [file] = before.files
  expect(file?.projectFiles?.files).toEqual([path.join(project, 'scripts', 'check.sh')])
  const agreed = new Set([`${file?.projectFiles?.path} ${file?.projectFiles?.sha256}`])
  expect(idle(found(agreed).hooks).some(([, why]) => why)).toBe(false)
  writeFileSync(path.join(project, 'scripts', 'check.sh'), 'changed')
  expect(idle(found(agreed).hooks)).toEqual(idle(before.hooks))
})

it('requires trust for hooks of a user’s agent that run project files, and for no others', () => {
  const agent = (folder: string, command: string) => ({
    name: 'own',
    description: 'd',
    prompt: '',
    tools: { kind: 'all' } as const,
    delegates: { kind: 'all' } as const,
    source: { path: path.join(folder, 'own.agent.md'), dialect: 'copilot' as const },
    hooks: { PreToolUse: [{ type: 'command', command }] },
  })
  const userHome = path.join(root, 'user')
  const ownHome = path.join(project, '.cadre')
  const item = (folder: string, command: string) => agentHooksItem(agent(folder, command), project, ownHome)
  expect(item(userHome, './scripts/check.sh')?.path).toContain(`${project}#`)
  expect(item(userHome, 'true')).toBeUndefined()
  expect(item(ownHome, 'true')).toBeUndefined()
  expect(item(ownHome, '.cadre/own.sh')).toBeUndefined()
  expect(item(ownHome, './scripts/check.sh')).toBeDefined()
  expect(item(path.join(project, '.github'), 'true')).toBeDefined()
})
