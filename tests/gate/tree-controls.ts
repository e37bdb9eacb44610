import type { AgentDefinition, Controls } from '@cadre/core'
import { names, type Place } from './tree-places.ts'

/** A restriction that is set at the root of the tree. */
export interface Control {
  readonly name: string
  /** The source that the journal must name for every attempt. */
  readonly by: string
  readonly rule: string
  /** Refused immediately, or held until a person rejects it. */
  readonly how: 'refused' | 'held'
  /** The attempted call. Default: writing a file. */
  readonly attempt?: readonly [tool: string, input: object]
  /** Controls of the root session. */
  readonly controls?: Controls
  /** The user's policy. */
  readonly policy?: string
  readonly allowlist?: string
  /** Project files with hooks. */
  readonly files?: Readonly<Record<string, object>>
  readonly noHuman?: true
  readonly untrusted?: true
  /** Parts of the definitions. */
  readonly agents?: (place: Place) => Readonly<Record<string, Partial<AgentDefinition>>>
  /** Where it does not apply. */
  readonly isOver?: (place: Place) => boolean
}

/** A Claude Code hook about writing, with this output. */
const hook = (command: string) => ({
  hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command }] }] },
})
const asks = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: 'show me',
  },
})
const write = (file: string) => ['write_file', { path: file, content: 'x' }] as const

export const controls: readonly Control[] = [
  {
    name: 'a tool list',
    by: 'agent',
    rule: 'denied-tools',
    how: 'refused',
    controls: { deniedTools: ['edit'] },
  },
  {
    name: 'a hook that denies',
    by: 'hook',
    rule: 'hook: .claude/settings.json:1',
    how: 'refused',
    files: { '.claude/settings.json': hook('echo no >&2; exit 2') },
  },
  {
    name: 'a hook that cannot be started',
    by: 'hook',
    rule: 'hook: .claude/settings.json:1',
    how: 'refused',
    files: { '.claude/settings.json': hook('/nowhere/at/all') },
  },
  {
    name: 'a hook of the first agent’s own file',
    by: 'hook',
    rule: 'hook: root:1',
    how: 'refused',
    agents: () => ({ root: { hooks: hook('exit 2').hooks, source: { path: 'root', dialect: 'claude' } } }),
  },
  {
    name: 'a hook that asks',
    by: 'hook',
    rule: 'hook: .claude/settings.json:1',
    how: 'held',
    files: { '.claude/settings.json': hook(`echo '${asks}'`) },
  },
  {
    name: 'an approval',
    by: 'approval',
    rule: 'approval-required',
    how: 'held',
    controls: { approvalRequired: true },
  },
  {
    name: 'an approval that nobody can give',
    by: 'approval',
    rule: 'no-human',
    how: 'refused',
    controls: { approvalRequired: true },
    noHuman: true,
  },
  {
    name: 'a run that only reads',
    by: 'role',
    rule: 'read-only',
    how: 'refused',
    controls: { readOnly: true },
  },
  {
    name: 'a role boundary',
    by: 'role',
    rule: 'boundary.writes',
    how: 'refused',
    agents: () => Object.fromEntries(names.map((name) => [name, { boundary: { writes: 'none' } }])),
  },
  {
    name: 'an effect that a policy denies',
    by: 'policy',
    rule: 'effects.write',
    how: 'refused',
    policy: 'effects: { write: deny }',
  },
  {
    name: 'an effect that a policy asks about',
    by: 'policy',
    rule: 'effects.write',
    how: 'held',
    policy: 'effects: { write: ask }',
  },
  {
    name: 'a path rule',
    by: 'policy',
    rule: 'paths.deny.write',
    how: 'refused',
    policy: 'paths: { deny: { write: ["secret/**"] } }',
  },
  {
    name: 'the rule about what is outside',
    by: 'policy',
    rule: 'paths.outside',
    how: 'refused',
    attempt: write('../plan.txt'),
  },
  {
    name: 'the rule about what decides',
    by: 'policy',
    rule: 'paths.protected',
    how: 'refused',
    attempt: write('.github/hooks/mine.json'),
  },
  {
    name: 'the rule about dangerous commands',
    by: 'policy',
    rule: 'dangerous: rm -rf /',
    how: 'refused',
    attempt: ['execute_command', { command: 'true && rm -rf /' }],
  },
  {
    name: 'a list of commands',
    by: 'policy',
    rule: 'allowlist: touch',
    how: 'refused',
    allowlist: 'touch: deny',
    attempt: ['Bash', { command: 'ls; touch secret/plan.txt' }],
  },
  {
    name: 'a permission about files',
    by: 'policy',
    rule: 'permissions: Edit(secret/**)',
    how: 'refused',
    files: { '.claude/settings.json': { permissions: { deny: ['Edit(secret/**)'] } } },
  },
  {
    name: 'a permission about commands',
    by: 'policy',
    rule: 'permissions: Bash(touch:*)',
    how: 'refused',
    files: { '.claude/settings.json': { permissions: { deny: ['Bash(touch:*)'] } } },
    attempt: ['Bash', { command: 'ls; touch secret/plan.txt' }],
  },
  {
    name: 'a permission about a tool',
    by: 'policy',
    rule: 'permissions: Write',
    how: 'held',
    files: { '.claude/settings.json': { permissions: { ask: ['Write'], allow: ['Edit(**)'] } } },
  },
  {
    name: 'a folder that nobody trusts',
    by: 'policy',
    rule: 'trust',
    how: 'refused',
    untrusted: true,
  },
  {
    name: 'a budget of calls',
    by: 'budget',
    rule: 'calls',
    how: 'refused',
    // A person who gives new work to a session of an ended run has started something else.
    isOver: ({ ending }) => ending === 'continued',
    agents: ({ callsBefore }) => ({ root: { limits: { budget: { calls: callsBefore } } } }),
  },
]
