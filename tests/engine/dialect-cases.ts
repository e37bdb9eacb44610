import type { PermissionRule } from '@cadre/core'
import { type AgentText, chatmode, claude, copilot, opencode, template } from './dialect-files.ts'
import { type Call, work } from './dialect-runs.ts'

const write: Call = ['write_file', { path: 'src/a.ts', content: 'x' }]
const edit: Call = ['edit_file', { path: 'src/a.ts', old: 'x', new: 'y' }]
export const read: Call = ['read_file', { path: 'src/a.ts' }]
const shell = (command: string): Call => ['execute_command', { command }]
const fetch = (url: string): Call => ['web_fetch', { url }]
const find: Call = ['mcp__docs__find', {}]
export const task = (subagent_type: string): Call => [
  'Task',
  { description: 'a task', prompt: 'do it', subagent_type },
]

const only = (...names: string[]) => ({ tools: { kind: 'list', names } }) as const
const without = (...disallowedTools: string[]) => ({ disallowedTools })
export const starts = (...names: string[]) => ({ delegates: { kind: 'list', names } }) as const
export const allHosts = { delegates: { kind: 'all' } } as const
const rules = (...lines: readonly (readonly [string, string, PermissionRule['action']])[]) => ({
  permissions: lines.map(([tool, pattern, action]) => ({ tool, pattern, action })),
})

/** With the key, what is refused and by what; without it, the call is done. */
export interface Case {
  readonly key: string
  readonly file: AgentText
  readonly refuses: Call
  readonly by?: 'agent' | 'role'
  /** The same file without the key; empty, unless the call needs something. */
  readonly free?: AgentText
  /** What the key still permits. */
  readonly leaves?: Call
}

const mayStart = copilot('agents: ["*"]', allHosts)
export const cases: readonly Case[] = [
  // tools, in every shape
  {
    key: 'tools, flow list',
    file: copilot('tools: [read, search]', only('read', 'search')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'tools, block list',
    file: copilot('tools:\n  - read\n  - search', only('read', 'search')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'tools, text with commas',
    file: claude('tools: Read, Grep, Glob', only('Read', 'Grep', 'Glob')),
    refuses: write,
    leaves: read,
  },
  { key: 'tools, one name', file: claude('tools: Write', only('Write')), refuses: edit, leaves: write },
  { key: 'tools, empty list', file: copilot('tools: []', only()), refuses: read },
  { key: 'tools, nothing', file: copilot('tools:', only()), refuses: read },
  { key: 'tools: false', file: copilot('tools: false', only()), refuses: read },
  { key: 'tools: true', file: copilot('tools: true', only()), refuses: read },
  {
    key: 'tools of an editor',
    file: copilot(
      "tools: ['search/codebase', 'read/readFile', 'web/fetch']",
      only('search/codebase', 'read/readFile', 'web/fetch'),
    ),
    refuses: edit,
    leaves: read,
  },
  {
    key: 'tools of an editor, before they had groups',
    file: chatmode(
      "tools: ['codebase', 'terminalLastCommand', 'usages', 'fetch']",
      only('codebase', 'terminalLastCommand', 'usages', 'fetch'),
    ),
    refuses: shell('ls'),
  },
  {
    key: 'tools: a file that may be created, not edited',
    file: copilot('tools: [edit/createFile]', only('edit/createFile')),
    refuses: edit,
    leaves: write,
  },
  {
    key: 'tools nobody knows',
    file: claude('tools: [Telepathy, everything you need]', only('Telepathy', 'everything you need')),
    refuses: read,
  },
  {
    key: 'tools of servers only',
    file: copilot("tools: ['github/*', 'microsoft.docs.mcp']", only('github/*', 'microsoft.docs.mcp')),
    refuses: read,
  },
  {
    key: 'tools of one server',
    file: copilot("tools: ['docs/find']", only('docs/find')),
    refuses: read,
    leaves: find,
  },
  {
    key: 'tools, some uses',
    file: claude('tools: Bash(git *), Read', {
      ...only('Bash', 'Read'),
      ...rules(['Bash', '*', 'deny'], ['Bash', 'git *', 'allow']),
    }),
    refuses: shell('rm x'),
    leaves: shell('git log'),
  },
  {
    key: 'tools, some uses, with a colon',
    file: claude('tools: [Bash(git:*)]', {
      ...only('Bash'),
      ...rules(['Bash', '*', 'deny'], ['Bash', 'git *', 'allow']),
    }),
    refuses: shell('git log; rm x'),
    leaves: shell('git log'),
  },
  {
    key: 'tools, a map with what is not',
    file: opencode('tools:\n  write: false\n  edit: false', without('write', 'edit')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'tools, a map with what is',
    file: opencode('tools:\n  read: true\n  write: false', only('read')),
    refuses: edit,
    leaves: read,
  },
  {
    key: 'tools, a map with nothing but',
    file: opencode('tools:\n  "*": false\n  read: true', only('read')),
    refuses: write,
    leaves: read,
  },
  { key: 'tools, a map that is none', file: opencode('tools:\n  write: maybe', only()), refuses: read },
  { key: 'allowedTools', file: claude('allowedTools: [Read]', only('Read')), refuses: write, leaves: read },
  {
    key: 'tools and allowed-tools',
    file: claude('tools: Read, Write\nallowed-tools: Read, Edit', only('Read')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'capabilities',
    file: template('capabilities: [read_file, search_files]', only('read_file', 'search_files')),
    refuses: write,
    leaves: read,
  },
  { key: 'tools of a template', file: template('tools: []', only()), refuses: read },
  {
    key: 'disallowed-tools of a template',
    file: template('disallowed-tools: [edit]', without('edit')),
    refuses: write,
    leaves: read,
  },
  // disallowedTools
  {
    key: 'disallowedTools, names',
    file: claude('disallowedTools: Write, Edit', without('Write', 'Edit')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'disallowedTools, a class',
    file: claude('disallowedTools: [edit]', without('edit')),
    refuses: edit,
    leaves: read,
  },
  {
    key: 'disallowedTools, a server',
    file: claude('disallowedTools: mcp__docs', without('mcp__docs')),
    refuses: find,
    leaves: read,
  },
  {
    key: 'disallowedTools, all of a server',
    file: claude('disallowedTools: [mcp__docs__*]', without('mcp__docs__*')),
    refuses: find,
    leaves: read,
  },
  {
    key: 'disallowedTools, some uses',
    file: claude('disallowedTools: [Bash(rm *)]', rules(['Bash', 'rm *', 'deny'])),
    refuses: shell('ls; rm x'),
    leaves: shell('ls'),
  },
  { key: 'disallowedTools that is none', file: claude('disallowedTools: { a: 1 }', only()), refuses: read },
  // delegation targets
  {
    key: 'agents, a list',
    file: copilot('agents: [helper]', starts('helper')),
    refuses: work('secret'),
    by: 'role',
    free: mayStart,
    leaves: work('helper'),
  },
  {
    key: 'agents, none',
    file: copilot('agents: []', { delegates: { kind: 'none' } }),
    refuses: work('helper'),
    free: mayStart,
  },
  {
    key: 'subagents',
    file: copilot('subagents: [helper]', starts('helper')),
    refuses: task('secret'),
    by: 'role',
    free: mayStart,
    leaves: task('helper'),
  },
  {
    key: 'Agent(…)',
    file: claude('tools: Agent(helper), Read', { ...only('Agent', 'Read'), ...starts('helper') }),
    refuses: task('secret'),
    by: 'role',
    free: mayStart,
    leaves: task('helper'),
  },
  {
    key: 'Task(…)',
    file: claude('tools: [Task(helper)]', { ...only('Task'), ...starts('helper') }),
    refuses: task('secret'),
    by: 'role',
    free: mayStart,
    leaves: task('HELPER'),
  },
  {
    key: 'agents without a tool for it',
    file: copilot('agents: [helper]\ntools: [read]', { ...starts('helper'), ...only('read') }),
    refuses: work('helper'),
    free: mayStart,
    leaves: read,
  },
  {
    key: 'agents, and delegation forbidden',
    file: claude('agents: [helper]\ndisallowedTools: Task', { ...starts('helper'), ...without('Task') }),
    refuses: work('helper'),
    free: mayStart,
    leaves: read,
  },
  // permission
  { key: 'permission: deny', file: opencode('permission: deny', rules(['*', '*', 'deny'])), refuses: read },
  {
    key: 'permission.edit',
    file: opencode('permission:\n  edit: deny', rules(['edit', '*', 'deny'])),
    refuses: write,
    leaves: read,
  },
  {
    key: 'permission.edit, patterns',
    file: opencode(
      'permission:\n  edit:\n    "*": deny\n    "docs/*": allow',
      rules(['edit', '*', 'deny'], ['edit', 'docs/*', 'allow']),
    ),
    refuses: ['write_file', { path: 'docs/../src/a.ts', content: '' }],
    leaves: ['write_file', { path: 'docs/a.md', content: '' }],
  },
  {
    key: 'permission.bash, patterns',
    file: opencode(
      'permission:\n  bash:\n    "*": deny\n    "git status*": allow',
      rules(['bash', '*', 'deny'], ['bash', 'git status*', 'allow']),
    ),
    refuses: shell('git status && rm x'),
    leaves: shell('git status -s'),
  },
  {
    key: 'permission.webfetch',
    file: opencode('permission:\n  webfetch: deny', rules(['webfetch', '*', 'deny'])),
    refuses: fetch('https://x.test/'),
    leaves: read,
  },
  {
    key: 'permission.task, patterns',
    file: opencode('agents: ["*"]\npermission:\n  task:\n    "*": deny\n    "help*": allow', {
      ...allHosts,
      ...rules(['task', '*', 'deny'], ['task', 'help*', 'allow']),
    }),
    refuses: work('secret'),
    free: mayStart,
    leaves: work('helper'),
  },
  {
    key: 'permission, an action that is none',
    file: opencode('permission:\n  edit: perhaps', rules(['edit', '*', 'deny'])),
    refuses: write,
    leaves: read,
  },
  // modes
  {
    key: 'permissionMode: plan, writing',
    file: claude('permissionMode: plan', without('edit', 'execute')),
    refuses: write,
    leaves: read,
  },
  {
    key: 'permissionMode: plan, commands',
    file: claude('permissionMode: plan', without('edit', 'execute')),
    refuses: shell('ls'),
    leaves: read,
  },
  {
    key: 'readonly',
    file: claude('readonly: true', without('edit', 'execute')),
    refuses: edit,
    leaves: read,
  },
]
