import { readTeamFiles, serializeAgent } from '@cadre/agents'
import type { AgentDefinition, Json } from '@cadre/core'
import { headerHooks } from '@cadre/gate'
import { contributedTeams } from './contributed-teams.ts'

export interface ChatAgentFile {
  readonly name: string
  readonly file: string
  readonly text: string
}

/**
 * The built-in agents as files for VS Code's own agent mode. They use `runSubagent` and VS Code's tools, an agent's report
 * is its last message, and only the lead of a team is in the agent picker.
 */
export function chatAgentFiles(): readonly ChatAgentFile[] {
  return contributedTeams.flatMap(({ team, hooks }) => {
    const agents = readTeamFiles(team).map(({ agent }) => agent)
    return agents.map((agent, index) => {
      const written = serializeAgent(forAgentMode(agent, index === 0, hooks), 'copilot')
      if (written.lost.length > 0) throw new Error(`${agent.name} would lose its ${written.lost.join(', ')}`)
      return { name: agent.name, file: `${agent.name}.agent.md`, text: written.text }
    })
  })
}

function forAgentMode(agent: AgentDefinition, isLead: boolean, hooks: boolean): AgentDefinition {
  const { name, description, prompt, tools, delegates, handoffs, unknown = {} } = agent
  const hint = unknown['argument-hint']
  return {
    name,
    description,
    prompt: translatePrompt(prompt),
    tools:
      tools.kind === 'all'
        ? tools
        : { kind: 'list', names: tools.names.filter((tool) => !cadreTools.has(tool)) },
    userInvocable: isLead,
    ...(delegates && { delegates }),
    ...(handoffs && { handoffs }),
    ...(hooks && { hooks: headerHooks(isLead, (script) => hook(script, name)) }),
    ...(hint !== undefined && { unknown: { 'argument-hint': hint } }),
  }
}

/** Tools that only Cadre has. Every list with one of these also has `agent`. */
const cadreTools = new Set(['delegateWork', 'reportOut'])

function translatePrompt(prompt: string): string {
  const text = prompt
    .replaceAll('`delegateWork`', '`runSubagent`')
    .replace('In `reportExpectations`, name the facts', 'At the end, name the facts')
    .replace(/ If the work was given to you by another agent, hand that answer in\s+with `reportOut`\./, '')
  const left = [...cadreTools, 'reportExpectations'].find((name) => text.includes(name))
  if (left !== undefined) throw new Error(`${left} has no effect in VS Code's agent mode`)
  return text
}

/**
 * The installation path of the extension is unknown when this is written, and VS Code has no variable for it in such files.
 * So the extension installs the command in the user's folder. If it is missing, the call is denied: exit code 2.
 */
function hook(script: string, role: string): Json {
  const said =
    'The hooks for this agent are not installed. Run Multi-Agent: Show Status once, then try again.'
  return {
    type: 'command',
    command: `f="$HOME/.config/cadre/vscode/run-hook.sh"; if [ -f "$f" ]; then exec sh "$f" ${script} --agent ${role}; fi; echo '${said}' >&2; exit 2`,
    windows: `$f = "$HOME\\.config\\cadre\\vscode\\run-hook.cmd"; if (Test-Path $f) { & $f ${script} --agent ${role}; exit $LASTEXITCODE }; [Console]::Error.WriteLine('${said}'); exit 2`,
    timeout: 20,
  }
}
