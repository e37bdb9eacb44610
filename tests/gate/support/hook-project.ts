import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { JsonObject } from '@cadre/core'
import { createHooks, findHooks, type HookSet, type Hooks, type HooksOptions } from '@cadre/gate'
import { onTestFinished } from 'vitest'

export interface HookProject {
  readonly path: string
  readonly userHome: string
  readonly policyFolder: string
  /** The messages of the hooks to the person. */
  readonly messages: string[]
  write(file: string, content: string | object): string
  find(options?: { readonly trusted?: boolean; readonly policyOwner?: number }): HookSet
  hooks(options?: Partial<HooksOptions>): Hooks
  /** The standard input of the hook with this name. */
  payload(name: string): JsonObject
  recorded(name: string): boolean
  text(file: string): string
}

/** Records its input in every form, under the given name; prints and exits as requested. */
const recorder = `#!/bin/sh
cat > "records/$1.json"
cat "$COPILOT_HOOK_INPUT_PATH" > "records/$1.file.json"
ls -l "$COPILOT_HOOK_INPUT_PATH" > "records/$1.mode"
printf '%s' "$COPILOT_HOOK_INPUT_PATH" > "records/$1.path"
env > "records/$1.env"
pwd > "records/$1.cwd"
if [ -n "$2" ]; then printf '%s' "$2"; fi
exit "\${3:-0}"
`

/** A new folder with a recording script, and folders for a user and an administrator next to it. */
export function createHookProject(files: Readonly<Record<string, string | object>> = {}): HookProject {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-hooks-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = path.join(root, 'project')
  const userHome = path.join(root, 'user')
  const policyFolder = path.join(root, 'hooks.d')
  for (const folder of [path.join(project, 'records'), userHome, policyFolder])
    mkdirSync(folder, { recursive: true })
  const told: string[] = []
  const write = (file: string, content: string | object) => {
    const at = path.resolve(project, file)
    mkdirSync(path.dirname(at), { recursive: true })
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
    return at
  }
  write('record.sh', recorder)
  for (const [file, content] of Object.entries(files)) write(file, content)
  const find: HookProject['find'] = ({ trusted = true, policyOwner = process.getuid?.() ?? 0 } = {}) =>
    findHooks({ project, userHome, policyFolder, policyOwner, trusted: () => trusted })
  const text = (file: string) => readFileSync(path.resolve(project, file), 'utf8')
  return {
    path: project,
    userHome,
    policyFolder,
    messages: told,
    write,
    find,
    hooks(options = {}) {
      const found = find()
      return createHooks({
        hooks: () => found,
        project,
        userHome,
        trusted: () => true,
        environment: (extra) => ({ PATH: process.env['PATH'], ...extra }),
        tell: (message) => told.push(message),
        now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
        transcript: (session) => `/home/sessions/${session}.session.yaml`,
        ...options,
      })
    },
    payload: (name) => JSON.parse(text(`records/${name}.json`)) as JsonObject,
    recorded: (name) => existsSync(path.join(project, 'records', `${name}.json`)),
    text,
  }
}

/** A command that records under this name, prints `output` and exits with `code`. */
export function record(name: string, output: string | object = '', code = 0): string {
  const printed = typeof output === 'string' ? output : JSON.stringify(output)
  return `sh record.sh ${name} '${printed.replaceAll("'", `'\\''`)}' ${code}`
}
