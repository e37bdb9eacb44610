/** Folders that nobody writes agents in. */
const foreign = /\/(?:node_modules|\.git)\//i

/** Folders and files that hold something else, however much they look like agents. A skill may bring agents of its own. */
const others =
  /\/(?:skills|commands|prompts)\/(?!(?:.*\/)?agents\/)|\/(?:skill|[^/]*\.(?:prompt|instructions))\.md$/i

/** An agent by its very name, wherever it lies. */
const named = /\.(?:agent|chatmode)\.md$|\.agent\.ya?ml$/i

/** Read by people, in any language. They are agents only when their header says so. */
const notes =
  /\/(?:readme|agents|claude|gemini|changelog|contributing|license|security|code_of_conduct|index)(?:[-_.][a-z]{2}(?:[-_][a-z]{2,4})?)?\.md$/i

const places = [
  /\/\.github\/(?:agents|chatmodes)\/.+\.md$/i,
  /\/\.(?:claude|copilot)\/agents\/.+\.md$/i,
  /\/\.opencode\/agents?\/.+\.md$/i,
  /\/agents\/.+\.md$/i,
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

/** By a path written with `/`, and one in front. */
export function meaningOfPath(path: string): PathMeaning {
  if (foreign.test(path)) return 'other'
  if (named.test(path)) return 'agent'
  if (others.test(path)) return 'other'
  if (places.some((place) => place.test(path))) return notes.test(path) ? 'perhaps' : 'agent'
  if (/\/\.vscode\/settings\.json$/i.test(path)) return 'settings'
  if (/\/templates\/[^/]+\.ya?ml$/i.test(path)) return 'template'
  return /\.md$/i.test(path) ? 'perhaps' : 'other'
}
