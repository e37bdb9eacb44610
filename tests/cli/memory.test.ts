import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

const read = (path: string) => ({ tool: 'read_file', input: { path } })
const results = (events: Record<string, unknown>[]) =>
  events.flatMap(({ type, outcome, content }) => (type === 'call.settled' ? [`${outcome}: ${content}`] : []))

test('an agent reads the memory of its home from any workspace, and no agent writes there', async () => {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/memory/system.md': '# System\n\nDocker Desktop.\n',
    '.cadre/memory/private/keys.md': 'hidden\n',
    'elsewhere/readme.txt': 'x\n',
    'policy.yaml': { paths: { deny: { read: ['memory/private'] } } },
    'p.yaml': {
      lanes: {
        lead: [
          {
            calls: [
              read('memory/system.md'),
              { tool: 'search_files', input: { query: 'what runs docker', mode: 'ranked' } },
              { tool: 'list_directory', input: { path: 'memory' } },
              { tool: 'write_file', input: { path: 'memory/new.md', content: 'x' } },
              read('memory/private/keys.md'),
              { tool: 'search_files', input: { query: 'hidden', mode: 'ranked' } },
            ],
          },
          { reply: 'Done.' },
        ],
      },
    },
  })
  project.write('.config/cadre/policy.yaml', project.read('policy.yaml'))
  const args = ['run', '--json', '--home', '.cadre', '--workspace', 'elsewhere', '--model', 'scripted:p.yaml']
  const { json } = await project.cadre([...args, '--allow', 'write', 'Look.'])
  const [text, ranked, list, written, kept, search] = results(json())
  expect(text).toContain('Docker Desktop.')
  expect(ranked).toContain('memory/system.md:1 System')
  expect(list).toContain('system.md')
  expect(written).toMatch(/^refused: .*memory of this home/)
  expect(kept).toMatch(/^refused: .*paths\.deny\.read/)
  expect(search).toContain('No matches for hidden.')
  expect(project.exists('elsewhere/memory')).toBe(false)
  expect(project.exists('.cadre/memory/new.md')).toBe(false)
})

test('a project module for semantic search runs only after a person trusts its content', async () => {
  const module = (word: string) =>
    `export async function embed(texts) { return texts.map((text) => [text.includes('${word}') || text.includes('feline') ? 1 : 0, 1]) }`
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { search: { semantic: { module: '../embed.mjs' } } },
    'embed.mjs': module('kitten'),
    'a.md': 'The kitten sleeps.\n',
    'b.md': 'Dogs bark.\n',
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'search_files', input: { query: 'feline', mode: 'semantic' } }] },
          { reply: 'Done.' },
        ],
      },
    },
  })
  const run = async (...flags: string[]) =>
    results(
      (await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', ...flags, 'Look.'])).json(),
    )[0]
  expect(await run()).toContain('by words instead')
  expect(await run('--trust')).toMatch(/ranked by meaning.*\n1\. a\.md:1/)
  writeFileSync(project.at('embed.mjs'), module('Dogs'))
  expect(await run('--trust')).toMatch(/ranked by meaning.*\n1\. b\.md:1/)
})
