/** Folders that nobody writes agents in. */
const foreign = /\/(?:node_modules|\.git)\//i

/** Files that hold something else, even where agents are. */
const others = /\/(?:skill|[^/]*\.(?:prompt|instructions))\.md$/i

/** An agent by its very name, wherever it lies. */
const named = /\.(?:agent|chatmode)\.md$|\.agent\.ya?ml$/i

/** Read by people, in any language. They are agents only when their header says so. */
const notes =
  /\/(?:readme|agents|claude|gemini|changelog|contributing|license|security|code_of_conduct|index)(?:[-_.][a-z]{2}(?:[-_][a-z]{2,4})?)?\.md$/i

/** Where some program looks for agents by itself, with all folders below. */
const places: readonly RegExp[] = [
  /\/\.github\/(?:agents|chatmodes)\//i,
  /\/\.(?:claude|copilot|cursor|gemini|kiro|qwen)\/agents\//i,
  /\/(?:\.opencode|\.config\/opencode)\/agents?\//i,
]

/** What a path tells about a file. */
export type PathMeaning =
  | 'agent'
  /** An agent, if its header looks like one. */
  | 'perhaps'
  /** An agent, if its keys look like one: other programs keep other things in such places. */
  | 'template'
  /** Agents, if its settings define some. */
  | 'settings'
  | 'other'

/** By a path written with `/`, and one in front. `isPlace`: something else than the path says that agents are there. */
export function meaningOfPath(path: string, isPlace: () => boolean = () => false): PathMeaning {
  if (foreign.test(path)) return 'other'
  if (named.test(path)) return 'agent'
  if (/\/\.vscode\/settings\.json$/i.test(path)) return 'settings'
  if (/\/templates\/[^/]+\.ya?ml$/i.test(path)) return 'template'
  if (!/\.md$/i.test(path) || others.test(path)) return 'other'
  if (placeIn(path) === '' && !isPlace()) return 'other'
  return notes.test(path) ? 'perhaps' : 'agent'
}

/** The part of a path that says which place of agents it is in, such as `/.claude/agents/`; empty for none. */
export function placeIn(path: string): string {
  for (const place of places) {
    const match = place.exec(path)
    if (match !== null) return match[0].toLowerCase()
  }
  return ''
}
