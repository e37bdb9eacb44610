import { arch, release, type } from 'node:os'
import { oneLine, type PromptPart } from '@cadre/core'
import { repositoryOf, safeGitSettings, tryGit } from '@cadre/disk'

const maxLines = 20
const timeoutMs = 3_000

/** The date, the operating system, the workspace and the state of its repository when a session starts. */
export async function environmentFacts(workspace: string, now: number): Promise<PromptPart> {
  const lines = [
    `- Date: ${dateOf(now)}`,
    `- Operating system: ${type()} ${release()} (${arch()})`,
    `- Workspace: ${oneLine(workspace, 1_000)}`,
    ...(await gitFacts(workspace)),
  ]
  const about = 'This was true when the session started. It is not updated.'
  return {
    from: 'Cadre: date, operating system, workspace, git',
    text: `## Environment\n\n${about}\n\n${lines.join('\n')}`,
  }
}

/** In the time zone of this machine. */
function dateOf(now: number): string {
  const date = new Date(now)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Shared by sessions that start together: a reply may delegate a hundred times. */
const asked = new Map<string, Promise<string[]>>()

function gitFacts(workspace: string): Promise<string[]> {
  const facts = asked.get(workspace) ?? askGit(workspace).finally(() => asked.delete(workspace))
  asked.set(workspace, facts)
  return facts
}

/** Names of branches and files are untrusted text, so each stays on its own line. */
async function askGit(workspace: string): Promise<string[]> {
  if (repositoryOf(workspace) === undefined) return ['- Git: not a repository']
  try {
    const request = { cwd: workspace, timeoutMs: timeoutMs }
    const settings = await safeGitSettings(request)
    const args = ['--no-optional-locks', 'status', '--porcelain', '--branch']
    const { code, stdout } = await tryGit(args, { ...request, settings })
    if (code !== 0) return ['- Git: the status is unknown']
    const [head = '', ...changes] = stdout.split('\n').filter((line) => line !== '')
    const branch = head.replace(/^## (?:No commits yet on )?/, '').replace(/\.\.\.[^\s]+.*$/, '')
    const shown = changes
      .slice(0, maxLines)
      .map((line) => `  ${line.slice(0, 2)} ${oneLine(line.slice(3), 300)}`)
    const more = changes.length - shown.length
    return [
      `- Git branch: ${oneLine(branch, 200)}`,
      changes.length === 0 ? '- Git status: no changes' : `- Git status: ${changes.length} changed`,
      ...shown,
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ]
  } catch {
    return ['- Git: the status is unknown']
  }
}
