/** Follows the guide for a person with a text editor: writes every file, runs every command, checks every output. */

import { execFile, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { isDeep } from '../support/amount.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(path.join(root, 'docs/run-a-team-from-your-text-editor.md'), 'utf8')
const hasPrograms = ['perl', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0)
const address = 'http://127.0.0.1:7373'
const findAddress = `$(cadre status --json | node -p 'JSON.parse(require("fs").readFileSync(0)).address')`

type Step =
  | { readonly kind: 'run'; readonly text: string }
  | { readonly kind: 'see'; readonly text: string }
  | { readonly kind: 'write' | 'add' | 'wait'; readonly file: string; readonly text: string }

/** A file is the one that was named last before its block. */
function stepsOf(text: string): Step[] {
  const parts =
    /```(?<form>\w+)(?<add> add)?\n(?<block>[\s\S]*?)```|<!-- until: (?<file>\S+) has (?<has>.*) -->|`(?<named>\.cadre\/[\w./-]+\.\w+)`/g
  let last = ''
  return [...text.matchAll(parts)].flatMap(({ groups = {} }): Step[] => {
    const { form, add, block = '', file = '', has, named } = groups
    if (named !== undefined) last = named
    if (has !== undefined) return [{ kind: 'wait', file, text: has }]
    if (form === undefined) return []
    if (form === 'sh') return [{ kind: 'run', text: block }]
    if (form === 'text') return [{ kind: 'see', text: block }]
    return [{ kind: add === undefined ? 'write' : 'add', file: last, text: block }]
  })
}

/** Read-only commands, which a reader may repeat. */
const readOnlyCommands = /^\s*(cadre (status|tasks|approvals)[^\n]*\s*)+$/

test.skipIf(!hasPrograms || !isDeep)('the guide works as written', { timeout: 300_000 }, async () => {
  const [build, ...steps] = stepsOf(guide)
  expect(steps.length).toBeGreaterThan(40)
  const { path: home } = createProject()
  const team = path.join(home, 'team')
  // The command is built before the tests run.
  const prelude = build?.text.replace('npm run build', ':') ?? ''
  const shell = async (text: string) => {
    const there = existsSync(team) ? `cd '${team}'\n` : ''
    const script = `cd '${root}'\n${prelude}\n${there}set -e\n${text.replaceAll(`${address}/`, `${findAddress}/`)}`
    // The port of the guide may be in use.
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'ann' }
    return await promisify(execFile)('sh', ['-c', script], { cwd: home, env })
  }
  onTestFinished(async () => void (await shell('cadre down')))
  let shown = ''
  let asked = ''
  for (const step of steps) {
    if (step.kind === 'run') {
      const { stdout, stderr } = await shell(step.text)
      expect(stderr, step.text).toBe('')
      shown = stdout
      asked = step.text
    } else if (step.kind === 'see') {
      // A reader tries again if the daemon is not ready yet.
      while (readOnlyCommands.test(asked) && missingLine(shown, step.text) !== undefined)
        shown = (await shell(asked)).stdout
      expect(missingLine(shown, step.text), `is missing in\n${shown}`).toBeUndefined()
    } else {
      await performStep(path.join(team, step.file), step.kind, step.text)
    }
  }
  // Nothing happened that a reader would have to know.
  const log = readFileSync(path.join(team, '.cadre/storage/daemon.log'), 'utf8')
  expect(
    log
      .split('\n')
      .filter((line) => /note: (?!Cadre rewrote the session file)|problem|failed|could not/.test(line)),
  ).toEqual([])
})

async function performStep(file: string, kind: 'write' | 'add' | 'wait', text: string): Promise<void> {
  if (kind === 'wait') return until(() => existsSync(file) && readFileSync(file, 'utf8').includes(text))
  mkdirSync(path.dirname(file), { recursive: true })
  if (kind === 'write') writeFileSync(file, text, { flag: 'wx' })
  else appendFileSync(file, text)
}

/** Returns the first missing line. Lines must be in order, possibly with others between; `…` matches anything. */
function missingLine(shown: string, wanted: string): string | undefined {
  let rest = shown.split('\n')
  for (const line of wanted.replaceAll(address, '…').trimEnd().split('\n')) {
    const words = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = new RegExp(`^${words.join('.*')}`)
    const at = rest.findIndex((other) => pattern.test(other.trimEnd()) || pattern.test(other.trim()))
    if (at < 0) return line
    rest = rest.slice(at + 1)
  }
  return undefined
}
