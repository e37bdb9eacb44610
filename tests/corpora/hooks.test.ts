import { readdirSync } from 'node:fs'
import path from 'node:path'
import { findHooks, type HooksFileRequest, type ParsedHooksFile, readHooksFile } from '@cadre/gate'
import { afterAll, describe, expect, it } from 'vitest'
import { type CorpusFile, filesBelow } from './support/agent-corpus.ts'
import { pickMutation } from './support/mutate.ts'
import { randomFrom } from './support/random.ts'

const corpora = process.env['CADRE_CORPORA']
const folder = corpora === undefined ? undefined : path.join(corpora, 'hooks')

type Kind = HooksFileRequest['kind']

function kindOf(file: string): Kind {
  if (/(?:^|\/)\.claude\/settings(?:\.local)?\.json$/.test(file)) return 'claude-settings'
  return /\.github\/copilot\/settings(?:\.local)?\.json$/.test(file) ? 'copilot-settings' : 'hooks'
}

function read({ path: name, text }: CorpusFile): ParsedHooksFile {
  return readHooksFile({ path: name, text, level: 'user', kind: kindOf(name), platform: 'linux' })
}

describe.skipIf(folder === undefined)('real hook files (skipped unless CADRE_CORPORA names them)', () => {
  const files = filesBelow(folder).map((file) => ({ ...file, read: read(file) }))

  it('have a verdict, and a reason with a line if not loaded completely', () => {
    expect(files.length).toBeGreaterThan(0)
    for (const {
      path: name,
      read: { status, diagnostics, hooks, entries },
    } of files) {
      expect(['loaded', 'partly', 'failed'], name).toContain(status)
      if (status !== 'loaded') {
        expect(diagnostics.length, name).toBeGreaterThan(0)
        expect(
          diagnostics.every(({ line = 0, message }) => line >= 1 && message !== ''),
          name,
        ).toBe(true)
      }
      expect(hooks.length, name).toBeLessThanOrEqual(entries)
    }
  })

  it('give the same hooks as a plain reading of the JSON', () => {
    for (const {
      path: name,
      text,
      read: { hooks },
    } of files) {
      const expected = plainCommands(text)
      if (expected !== undefined)
        expect(hooks.filter(({ idle }) => idle === undefined).length, name).toBe(expected)
    }
  })

  it('fail only if no host could read them', () => {
    for (const {
      path: name,
      text,
      read: { status },
    } of files)
      if (status === 'failed') expect(plainCommands(text) ?? 0, name).toBe(0)
  })

  it('searches a whole repository without running or throwing anything', () => {
    for (const repository of readdirSync(folder ?? '.')) {
      const { hooks } = findHooks({
        project: path.join(folder ?? '.', repository),
        userHome: '/nowhere',
        trusted: () => false,
      })
      expect(
        hooks.every(({ idle }) => idle !== undefined),
        repository,
      ).toBe(true)
    }
  })

  it('are read without a crash when damaged, three thousand times', () => {
    const random = randomFrom(20_261_115)
    for (let count = 0; count < 3_000; count++) {
      const file = random.pick(files)
      const text = pickMutation(random).apply(file.text, random, random.pick(files).text)
      const { status, diagnostics } = read({ ...file, text })
      if (status === 'failed') expect(diagnostics.length).toBeGreaterThan(0)
    }
  })

  afterAll(() => {
    const count = (status: string) => files.filter((file) => file.read.status === status).length
    const hooks = files.flatMap((file) => file.read.hooks)
    const by = (dialect: string) => hooks.filter((hook) => hook.dialect === dialect).length
    const failed = files.filter((file) => file.read.status === 'failed')
    console.log(
      `${files.length} files: ${count('loaded')} loaded, ${count('partly')} partly, ${count('failed')} failed; ` +
        `${hooks.length} hooks: ${by('vscode')} vscode, ${by('copilot')} copilot, ${by('claude')} claude.\n` +
        failed.map((file) => `  ${file.path}: ${file.read.diagnostics[0]?.message}`).join('\n'),
    )
  })
})

/** The thirteen events in both spellings, listed independently. */
const known = new Set(
  `SessionStart sessionStart SessionEnd sessionEnd UserPromptSubmit userPromptSubmitted userPromptSubmit PreToolUse preToolUse
   PostToolUse postToolUse PostToolUseFailure postToolUseFailure PermissionRequest permissionRequest SubagentStart subagentStart
   SubagentStop subagentStop Stop agentStop stop PreCompact preCompact Notification notification ErrorOccurred
   errorOccurred`.split(/\s+/),
)

/** The number of entries that can run on this system, according to an independent reader; absent for invalid JSON. */
function plainCommands(text: string): number | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const events = (value as { hooks?: Record<string, unknown> } | null)?.hooks
  if (typeof events !== 'object' || events === null || Array.isArray(events)) return undefined
  const runs = (entry: unknown): number => {
    const { hooks, type, command, bash, linux } = (entry ?? {}) as Record<string, unknown>
    if (Array.isArray(hooks)) return hooks.reduce<number>((sum, inner) => sum + runs(inner), 0)
    if (type !== undefined && type !== 'command') return 0
    return [command, bash, linux].some((line) => typeof line === 'string' && line.trim() !== '') ? 1 : 0
  }
  return Object.entries(events)
    .filter(([event, list]) => known.has(event) && Array.isArray(list))
    .reduce(
      (sum, [, list]) => sum + (list as unknown[]).reduce<number>((all, entry) => all + runs(entry), 0),
      0,
    )
}
