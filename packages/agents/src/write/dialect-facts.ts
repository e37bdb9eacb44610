import { plainKey } from '../header/known-keys.ts'

/** The dialects with one file per agent. */
export type FileDialect = 'copilot' | 'claude' | 'opencode' | 'template'

/** The dialects that agents can be written in. */
export type TargetDialect = FileDialect | 'settings'

interface DialectFacts {
  /** The other program that reads such files, for use within a sentence. */
  readonly host: string
  /** Their folder in a project; for templates, in a home. */
  readonly folder: string
  readonly ending: string
  /** How keys of several words are written. */
  readonly spelling: 'kebab' | 'camel' | 'snake'
  /** The keys that the host reads, without case, `-` and `_`. */
  readonly known: ReadonlySet<string>
}

const facts: { readonly [dialect in TargetDialect]: DialectFacts } = {
  copilot: {
    host: 'GitHub Copilot',
    folder: '.github/agents',
    ending: '.agent.md',
    spelling: 'kebab',
    known: keys(
      'name description argument-hint tools agents model user-invocable disable-model-invocation infer target',
      'mcp-servers metadata handoffs hooks skills sidekick',
    ),
  },
  claude: {
    host: 'Claude Code',
    folder: '.claude/agents',
    ending: '.md',
    spelling: 'camel',
    known: keys(
      'name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background',
      'effort isolation color initialPrompt autoCompactWindow omitClaudeMd observer observerMessage',
    ),
  },
  opencode: {
    host: 'opencode',
    folder: '.opencode/agent',
    ending: '.md',
    spelling: 'kebab',
    known: keys(
      'name description mode model prompt temperature top_p steps disable hidden color permission tools',
    ),
  },
  template: {
    host: 'another program that reads templates',
    folder: 'templates',
    ending: '.agent.yaml',
    spelling: 'snake',
    known: keys('id type model system_prompt capabilities metadata description'),
  },
  settings: {
    host: 'VS Code',
    folder: '',
    ending: '.json',
    spelling: 'camel',
    known: keys('name systemPrompt description useFor delegationPermissions toolPermissions'),
  },
}

export function dialectFacts(dialect: TargetDialect): DialectFacts {
  return facts[dialect]
}

/** Returns a key, given as `max-turns`, in the dialect's spelling. */
export function spellKey(key: string, dialect: TargetDialect): string {
  const { spelling } = facts[dialect]
  if (spelling === 'kebab') return key
  if (spelling === 'snake') return key.replaceAll('-', '_')
  return key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function keys(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(' ')).map(plainKey))
}
