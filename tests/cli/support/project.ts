import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type CadreOptions, type Ended, type RunningCadre, runCadre, startCadre } from './cadre.ts'

export interface Project {
  readonly path: string
  at(...names: string[]): string
  write(file: string, content: string | object): string
  read(file: string): string
  exists(file: string): boolean
  /** Runs the command in the project. */
  cadre(args: readonly string[], options?: Partial<CadreOptions>): Promise<Ended>
  start(args: readonly string[], options?: Partial<CadreOptions>): RunningCadre
  /** Every file with a digest of its content, for comparing before and after. */
  listing(): string[]
  /** The names of the session files, without their extension. */
  sessions(): string[]
}

/** Where a user's homes are recorded: these are not files in the project. */
const records = new Set(['.config', '.config/cadre', '.config/cadre/homes.jsonl'])

/** A new folder with these files; objects are written as JSON, which is also YAML. */
export function createProject(files: Readonly<Record<string, string | object>> = {}): Project {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-e2e-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const at = (...names: string[]) => path.join(folder, ...names)
  const project: Project = {
    path: folder,
    at,
    write(file, content) {
      mkdirSync(path.dirname(at(file)), { recursive: true })
      writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
      return at(file)
    },
    read: (file) => readFileSync(at(file), 'utf8'),
    exists: (file) => statSync(at(file), { throwIfNoEntry: false }) !== undefined,
    cadre: (args, options) => runCadre(args, { cwd: folder, ...options }),
    start(args, options) {
      const running = startCadre(args, { cwd: folder, ...options })
      onTestFinished(async () => {
        running.child.kill('SIGKILL')
        await running.ended()
      })
      return running
    },
    listing: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => !records.has(name))
        .sort()
        .map((name) =>
          statSync(at(name)).isFile() ? `${name} ${digest(readFileSync(at(name)))}` : `${name}/`,
        ),
    sessions: () =>
      project.exists('.cadre/sessions')
        ? readdirSync(at('.cadre/sessions'))
            // A file that is being written.
            .filter((name) => !name.endsWith('.tmp'))
            .map((name) => name.replace(/\.session\.yaml$/, ''))
        : [],
  }
  for (const [file, content] of Object.entries(files)) project.write(file, content)
  return project
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

/** An agent file in the home. */
export function agentFile(name: string, fields: object = {}): Record<string, object> {
  const file = { id: name, description: `The ${name}`, system_prompt: `You are ${name}.`, ...fields }
  return { [`.cadre/templates/${name}.agent.yaml`]: file }
}

/** A call of the delegation tool, for a playbook. */
export function delegate(agentName: string, work = 'Do your part.'): object {
  return {
    tool: 'delegateWork',
    input: { agentName, workDescription: work, reportExpectations: 'What you did.' },
  }
}

export function report(text: string): object {
  return { calls: [{ tool: 'reportOut', input: { report: text } }] }
}

/** A tool that runs something and so needs approval, and the configuration that names it. */
export const deployTool = {
  '.cadre/deploy.mjs': `export const deploy = { name: 'deploy', description: 'x', class: 'execute', effect: 'execute',
    input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
    run: async () => ({ content: 'it is live' }) }`,
  '.cadre/config.yaml': { tools: ['deploy.mjs'] },
}
