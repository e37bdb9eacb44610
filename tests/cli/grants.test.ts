import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, renameSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { startDaemon } from '../daemon/machine.ts'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, deployTool, type Project } from './support/project.ts'
import { until } from './support/until.ts'

const test = sampled(3)

const write = { tool: 'write_file', input: { path: 'out.txt', content: 'written\n' } }
const deploy = { tool: 'deploy', input: {} }
/** It first waits for a person, and writes after it is resumed. */
const files = {
  ...agentFile('lead'),
  ...deployTool,
  'playbook.yaml': { lanes: { '*': [{ calls: [deploy] }, { calls: [write] }, { reply: 'Done.' }] } },
}
const run = (...flags: string[]) => ['run', '--model', 'scripted:playbook.yaml', ...flags, 'x']
const only = (project: Project): string => project.sessions()[0] as string

async function approve(project: Project, options: { readonly isForeign?: boolean } = {}): Promise<void> {
  const { stdout } = await project.cadre(['approvals', '--json', '--trust'], options)
  const id = /"id":"([^"]+)"/.exec(stdout)?.[1] as string
  expect((await project.cadre(['approve', id, '--trust'], options)).code).toBe(0)
}

describe('permissions of a person for a run', () => {
  test('apply again when the run is resumed, and to no other run', async () => {
    const project = createProject(files)
    const waiting = await project.cadre(run('--allow', 'write'))
    expect(waiting.code).toBe(3)
    const id = only(project)
    expect(waiting.stderr).toMatch(new RegExp(`cadre resume ${id}$`, 'm'))
    await approve(project)
    expect((await project.cadre(['resume', id])).code).toBe(0)
    expect(project.read('out.txt')).toBe('written\n')

    expect((await project.cadre(run())).code).toBe(3)
    const other = project.sessions().find((session) => session !== id) as string
    await approve(project)
    expect((await project.cadre(['resume', other])).code).toBe(3)
  })

  test('apply when the daemon resumes the run', async () => {
    const project = createProject(files)
    expect((await project.cadre(run('--allow', 'write'))).code).toBe(3)
    const daemon = await startDaemon(project)
    await approve(project)
    const file = `.cadre/sessions/${only(project)}.session.yaml`
    await until(
      () => /^status: (?:completed|sleeping) /m.test(project.read(file)) && project.exists('out.txt'),
    )
    expect(await daemon.stop()).toBe(0)
  })

  test('are not granted by files in the repository, nor to a copy of the home', async () => {
    const project = createProject(files)
    expect((await project.cadre(run('--allow', 'write'))).code).toBe(3)
    await approve(project)
    const id = only(project)
    const records = '.config/cadre/grants'
    expect(readdirSync(project.at(records))).toHaveLength(1)
    for (const folder of ['.cadre/grants', '.cadre/storage/grants', '.cadre/.config/cadre/grants'])
      cpSync(project.at(records), project.at(folder), { recursive: true })
    // Another folder in its place, with the same files.
    renameSync(project.at('.cadre'), project.at('old'))
    cpSync(project.at('old'), project.at('.cadre'), { recursive: true })
    expect((await project.cadre(['resume', id])).code).toBe(3)
    expect(project.exists('out.txt')).toBe(false)
  })
})

describe('a run that was started with --trust', () => {
  const hook = (command: string) => ({ hooks: { PreToolUse: [{ type: 'command', command }] } })
  const foreign = { isForeign: true }

  test('is resumed in the same folder without it', async () => {
    const project = createProject({ ...files, '.github/hooks/a.json': hook('echo x >> hooked') })
    expect((await project.cadre(run('--trust', '--allow', 'write'), foreign)).code).toBe(3)
    await approve(project, foreign)
    expect((await project.cadre(['resume', only(project)], foreign)).code).toBe(0)
    expect(project.read('out.txt')).toBe('written\n')
    expect(project.read('hooked')).toBe('x\nx\n')
    // For this run only.
    expect((await project.cadre(['resume', 'lead-other'], foreign)).code).toBe(2)
  })

  test('does not trust files that appear in the folder later', async () => {
    const project = createProject({ ...files, '.github/hooks/a.json': hook('true') })
    expect((await project.cadre(run('--trust', '--allow', 'write'), foreign)).code).toBe(3)
    await approve(project, foreign)
    project.write('.github/hooks/a.json', hook('touch pwned'))
    const { stderr } = await project.cadre(['resume', only(project)], foreign)
    expect(stderr).toContain('this folder is not trusted')
    expect(project.exists('pwned')).toBe(false)
    expect(project.exists('out.txt')).toBe(false)
  })

  test('does not trust a home whose tracked files have changed', async () => {
    const project = createProject(files)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project.path })
    git('init', '-q')
    git('add', '-f', '.cadre')
    git('commit', '-q', '-m', 'first')
    expect((await project.cadre(run('--trust', '--allow', 'write'), foreign)).code).toBe(3)
    await approve(project, foreign)
    project.write('.cadre/config.yaml', { tools: ['deploy.mjs'], entry: 'lead' })
    const { code, stderr } = await project.cadre(['resume', only(project)], foreign)
    expect([code, stderr]).toEqual([2, expect.stringContaining('not trusted')])
  })

  test('is not resumed by a daemon that does not trust the folder', async () => {
    const project = createProject({ ...files, '.github/hooks/a.json': hook('true') })
    expect((await project.cadre(run('--trust', '--allow', 'write'))).code).toBe(3)
    const up = project.start(['up'])
    await up.until((stdout, stderr) => /[Ww]atching/.test(stdout + stderr))
    await approve(project)
    const status = async () => (await project.cadre(['status'])).stdout
    await until(async () => /was started with --trust/.test(await status()))
    expect(project.exists('out.txt')).toBe(false)
    expect((await project.cadre(['down'])).code).toBe(0)
  })
})
