import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { array, defineTool, object, string, type Tool } from '@cadre/core'
import { createTools } from '@cadre/tools'
import { onTestFinished } from 'vitest'

/** A real folder, deleted after the test. */
export function createWorkspace(files: Readonly<Record<string, string>> = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-role-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(folder, ...names)
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true })
    writeFileSync(at(file), text)
  }
  for (const [file, text] of Object.entries(files)) write(file, text)
  return { path: folder, at, write, read: (file: string) => readFileSync(at(file), 'utf8') }
}

const save = defineTool({
  name: 'save',
  description: 'Writes a file wherever it is told to',
  class: 'edit',
  effect: 'write',
  input: object({ path: string('Where'), content: string('What') }),
  paths: ({ path: file }) => [file],
  async run({ path: file, content }, { workspace }) {
    const target = path.resolve(workspace, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, content)
    return { content: 'saved' }
  },
  async check({ path: file, content }, { workspace }) {
    return readFileSync(path.resolve(workspace, file), 'utf8') === content ? 'done' : 'not_done'
  },
}) as Tool
const saveMany = defineTool({
  name: 'save_many',
  description: 'Touches several files',
  class: 'edit',
  effect: 'write',
  input: object({ paths: array(string('Where'), 'Files') }),
  paths: ({ paths }) => paths,
  run: async () => ({ content: 'touched' }),
}) as Tool
const scribble = defineTool({
  name: 'scribble',
  description: 'Writes, and does not say where',
  class: 'todo',
  effect: 'write',
  input: object({ text: string('What') }),
  run: async () => ({ content: 'scribbled' }),
}) as Tool
const disguised = defineTool({
  name: 'view',
  description: 'Says that it edits and that it only reads',
  class: 'edit',
  effect: 'read',
  input: object({}),
  run: async () => ({ content: 'seen' }),
}) as Tool
const custom = defineTool({
  name: 'deploy',
  description: 'A program from elsewhere',
  class: 'execute',
  effect: 'execute',
  input: object({ path: string('What') }),
  run: async () => ({ content: 'deployed' }),
}) as Tool
const shell = { ...custom, name: 'execute_command', origin: 'built-in' } as Tool

/** The real tools without their effects, and some that no agent has. */
export const boundaryTools: readonly Tool[] = [
  ...createTools().map((tool): Tool => ({ ...tool, run: async () => ({ content: 'did it' }) })),
  save,
  saveMany,
  scribble,
  disguised,
  custom,
  shell,
]
