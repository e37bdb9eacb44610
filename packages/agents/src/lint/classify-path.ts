/** Folders that contain no hand-written agents. */
const foreign = /\/(?:node_modules|\.git)\//i

/** Files with other content, even in agent folders. */
const others = /\/(?:skill|[^/]*\.(?:prompt|instructions))\.md$/i

/** Files that are agents by their name, in any folder. */
const agentFileNames = /\.(?:agent|chatmode)\.md$|\.agent\.ya?ml$/i

/** Files for people, in any language. They are agents only if they have the header of one. */
const notes =
  /\/(?:readme|agents|claude|gemini|changelog|contributing|license|security|code_of_conduct|index)(?:[-_.][a-z]{2}(?:[-_][a-z]{2,4})?)?\.md$/i

/** Folders where some program looks for agents, including subfolders. */
const places: readonly RegExp[] = [
  /\/\.github\/(?:agents|chatmodes)\//i,
  /\/\.(?:claude|copilot|cursor|gemini|kiro|qwen)\/agents\//i,
  /\/(?:\.opencode|\.config\/opencode)\/agents?\//i,
]

/** The kind of file that a path suggests. */
export type PathMeaning =
  | 'agent'
  /** An agent if it has an agent header. */
  | 'perhaps'
  /** An agent if it has agent keys. Other programs store other files in such folders. */
  | 'template'
  /** A settings file, which may define agents. */
  | 'settings'
  | 'other'

/** `path` uses `/` and starts with one. `isPlace`: returns whether agents are there for another reason than the path. */
export function classifyPath(path: string, isPlace: () => boolean = () => false): PathMeaning {
  if (foreign.test(path)) return 'other'
  if (agentFileNames.test(path)) return 'agent'
  if (/\/\.vscode\/settings\.json$/i.test(path)) return 'settings'
  if (/\/templates\/[^/]+\.ya?ml$/i.test(path)) return 'template'
  if (!/\.md$/i.test(path) || others.test(path)) return 'other'
  if (findAgentFolder(path) === '' && !isPlace()) return 'other'
  return notes.test(path) ? 'perhaps' : 'agent'
}

/** Returns the agent folder in a path, such as `/.claude/agents/`, or an empty text. */
export function findAgentFolder(path: string): string {
  for (const place of places) {
    const match = place.exec(path)
    if (match !== null) return match[0].toLowerCase()
  }
  return ''
}
