import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { subcommands } from '../../packages/cli/src/commands.ts'
import { bin } from './support/cadre.ts'
import { createProject } from './support/project.ts'

const commands = [
  'run',
  'chat',
  'resume',
  'sessions',
  'approvals',
  'approve',
  'reject',
  'undo',
  'redo',
  'open',
  'up',
  'down',
  'status',
  'worker',
  'engine',
  'tasks',
  'workspace',
  'acp',
  'init',
  'agents',
  'lint',
  'policy',
  'people',
  'record',
  'replay',
  'mcp',
  'hooks',
  'setup',
  'config',
  'login',
  'logout',
  'models',
  'demo',
  'doctor',
  'completion',
]
const all = [
  ...commands,
  ...Object.entries(subcommands).flatMap(([command, names]) => names.map((name) => `${command} ${name}`)),
]

test.each(Object.entries(subcommands))('cadre %s --help lists its commands', async (command, names) => {
  const { stdout } = await createProject().cadre([command, '--help'])
  const listed = stdout.slice(stdout.indexOf('COMMANDS')).matchAll(/^ {2}([a-z]+) /gm)
  expect([...listed].map(([, name]) => name)).toEqual(names)
})

test.each(all)('cadre %s --help shows an example and ends with 0', async (command) => {
  const { code, stdout, stderr } = await createProject().cadre([...command.split(' '), '--help'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toMatch(/EXAMPLES\n {2}cadre \S/)
  expect(stdout).toContain(`cadre ${command}`)
})

test('the main help lists exactly the existing commands', async () => {
  const { code, stdout } = await createProject().cadre(['--help'])
  const listed = /COMMANDS\n((?: {2}.*\n)+)/.exec(stdout)?.[1]?.match(/^ {2}\w+/gm) ?? []
  expect(listed.map((name) => name.trim())).toEqual(commands)
  expect(code).toBe(0)
  expect((await createProject().cadre([])).stdout).toBe(stdout)
  expect((await createProject().cadre(['help', 'run'])).stdout).toContain('cadre run')
})

test('every command folder has its declaration in a file of the same name, as CONTRIBUTING says', () => {
  const folder = path.join(import.meta.dirname, '../../packages/cli/src/commands')
  const files = readdirSync(folder).map((name) => path.join(folder, name, `${name}-command.ts`))
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

test('flags with a value show its kind, and descriptions are aligned', async () => {
  const { stdout } = await createProject().cadre(['run', '--help'])
  expect(stdout).toMatch(/^ +\[--team TEAM\] +A built-in team/m)
  expect(stdout).toMatch(/^ +\[--image FILE\]\.\.\. +An image/m)
  expect(stdout).toMatch(/^ +\[--json\] +Print JSON/m)
  const at = ['A built-in team', 'An image', 'Print JSON'].map((brief) => {
    const line = stdout.split('\n').find((one) => one.includes(brief)) ?? ''
    return line.indexOf(brief)
  })
  expect(new Set(at).size).toBe(1)
})

test('the help of lint lists where agents are searched', async () => {
  const { stdout } = await createProject().cadre(['lint', '--help'])
  for (const place of [
    '.github/agents',
    '.claude/agents',
    '.vscode/settings.json',
    '~/.copilot/agents',
    'templates',
  ])
    expect(stdout).toContain(place)
})

test('the version is that of the package, with the Node.js that runs it', async () => {
  const manifest = JSON.parse(readFileSync(path.join(path.dirname(bin), '..', 'package.json'), 'utf8'))
  for (const word of ['--version', 'version'])
    expect((await createProject().cadre([word])).stdout).toBe(
      `cadre ${manifest.version} (Node ${process.versions.node}, ${process.platform}-${process.arch})\n`,
    )
})

test('help loads neither a backend, nor YAML, nor anything else it does not need', async () => {
  const project = createProject()
  const env = { NODE_V8_COVERAGE: project.at('loaded') }
  await project.cadre(['--help'], { env })
  await project.cadre(['run', '--help'], { env })
  const loaded = readdirSync(project.at('loaded')).flatMap((name) => {
    const { result } = JSON.parse(project.read(`loaded/${name}`)) as { result: { url: string }[] }
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
  })
  expect(loaded.some((url) => /\/cli\/dist\/(bundle\/)?main\.c?js$/.test(url))).toBe(true)
  // Found by their definitions, because bundled files have other names.
  const heavy = /function (createFileEngine|createModels|createTools|openOpenAi|parseDocument)\b/
  expect(loaded.filter((url) => heavy.test(readFileSync(new URL(url), 'utf8')))).toEqual([])
})

test.each([
  [['rnu', 'x'], 'unknown command "rnu". Did you mean run?'],
  [['sessions', 'lst'], 'unknown command "lst". Did you mean list?'],
  [['constructor'], 'unknown command "constructor"'],
  [['run', '--agnet', 'a', 'x'], 'unknown flag --agnet. Did you mean --agent?'],
  [['run', '--constructor', 'x'], 'unknown flag --constructor'],
  [['run', '--max-turns', 'many', 'x'], '--max-turns must be an integer of at least 1, not "many"'],
  [['run', '--budget-cost', '0', 'x'], '--budget-cost must be an amount of US dollars'],
  [['run', 'x', '--model'], '--model requires a value'],
  [['run'], 'the message is empty'],
  [['run', ' '], 'the message is empty'],
  [
    ['agents', 'export', '--to', 'x'],
    '--to must be one of copilot, claude, opencode, template, settings, not "x"',
  ],
  [['agents', 'export'], '--to requires a value'],
  [['agents', 'import', '--to', 'claude'], 'missing argument <file>'],
  [
    ['resume'],
    'missing argument <session>. List them with "cadre sessions list". See "cadre resume --help".',
  ],
  [['approve'], 'missing argument <approval>. List them with "cadre approvals".'],
  [['sessions', 'rewind', 'x'], 'missing argument <entry>. See "cadre sessions rewind --help".'],
  [['demo', 'x'], 'unexpected argument "x"'],
])('%j is explained in one sentence, with code 2', async (args, sentence) => {
  const project = createProject()
  const { code, stdout, stderr } = await project.cadre(args)
  expect(stderr).toContain(`cadre: ${sentence}`)
  expect(stderr.trimEnd()).not.toContain('\n')
  expect(stdout).toBe('')
  expect(code).toBe(2)
  const asJson = await project.cadre([...args, '--json'])
  expect(asJson.code).toBe(2)
  expect(asJson.json().at(-1)).toMatchObject({ type: 'error', code: 'usage' })
  expect(project.listing()).toEqual([])
})

test.each([
  [['run', '--yolo', 'x'], 'yolo'],
  [['workspace', 'merge', 'x', '--yes'], 'yes'],
])('%j suggests no flag that only looks remotely similar', async (args, flag) => {
  const { stderr } = await createProject().cadre(args)
  expect(stderr).toMatch(`cadre: unknown flag --${flag}. See "cadre `)
})
