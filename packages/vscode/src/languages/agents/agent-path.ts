/** Where agents are searched for in a workspace. */
export const agentGlobs: readonly string[] = [
  '**/*.{agent,chatmode}.md',
  '**/*.agent.{yaml,yml}',
  '**/.github/{agents,chatmodes}/**/*.md',
  '**/{.claude,.copilot}/agents/**/*.md',
  '**/.opencode/{agent,agents}/**/*.md',
  '**/.cadre/templates/*.{yaml,yml}',
]

const paths = [
  /\.(?:agent|chatmode)\.md$/i,
  /\.agent\.ya?ml$/i,
  /\/\.github\/(?:agents|chatmodes)\/.+\.md$/i,
  /\/\.(?:claude|copilot)\/agents\/.+\.md$/i,
  /\/\.opencode\/agents?\/.+\.md$/i,
  /\/\.cadre\/templates\/[^/]+\.ya?ml$/i,
]

/** Files for people next to agents, and chat logs of a home, which are named after agents. */
const others = /\/(?:readme|agents|claude|changelog|contributing)\.md$|\/\.cadre\/agents\/|\/node_modules\//i

/** True if a file defines an agent, by its path alone. */
export function isAgentPath(file: string): boolean {
  const slashed = file.replaceAll('\\', '/')
  return paths.some((path) => path.test(slashed)) && !others.test(slashed)
}
