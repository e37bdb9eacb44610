import type { Lane, ModelRequest, Step } from './script.ts'
import type { VsCode } from './start-vscode.ts'

/** An agent of the settings. Its lane is found by its prompt. */
export interface TestAgent {
  readonly name: string
  readonly systemPrompt: string
  readonly description: string
  readonly useFor: string
  readonly delegationPermissions: object
  readonly toolPermissions: object
  readonly model?: string
}

export interface AgentWishes {
  readonly delegates?: 'all' | readonly string[]
  readonly tools?: 'all' | readonly string[]
  readonly model?: string
}

export function agent(name: string, { delegates, tools = [], model }: AgentWishes = {}): TestAgent {
  return {
    name,
    systemPrompt: promptOf(name),
    description: `The ${name} of the team`,
    useFor: `Whatever a ${name} does`,
    delegationPermissions:
      delegates === undefined
        ? { type: 'none' }
        : delegates === 'all'
          ? { type: 'all' }
          : { type: 'specific', agents: delegates },
    toolPermissions:
      tools === 'all'
        ? { type: 'all' }
        : { type: 'specific', tools: ['delegateWork', 'reportOut', ...tools] },
    ...(model !== undefined && { model }),
  }
}

export function promptOf(name: string): string {
  return `You are the agent called ${name}, and you do as the script says.`
}

export function lane(name: string, ...replies: readonly Step[]): Lane {
  return { when: promptOf(name), replies }
}

/** A reply that delegates to all of these at once. */
export function delegate(...names: readonly string[]): Step {
  return {
    calls: names.map((agentName) => ({
      name: 'delegateWork',
      input: {
        agentName,
        workDescription: `Do what a ${agentName} does with the notes.`,
        reportExpectations: 'One sentence.',
      },
    })),
  }
}

export function report(text: string): Step {
  return { calls: [{ name: 'reportOut', input: { report: text } }] }
}

/** Writes the agents to the user settings, and waits until VS Code has them. */
export async function configure(
  { host }: VsCode,
  agents: readonly TestAgent[],
  entryAgent = agents[0]?.name ?? '',
): Promise<void> {
  await host.run(
    async (vscode, agents, entryAgent) => {
      const settings = vscode.workspace.getConfiguration('copilotMultiAgent')
      await settings.update('agents', agents, vscode.ConfigurationTarget.Global)
      await settings.update('entryAgent', entryAgent, vscode.ConfigurationTarget.Global)
    },
    agents,
    entryAgent,
  )
}

/** The requests of one agent, in order. */
export function requestsOf({ model }: VsCode, name: string): ModelRequest[] {
  return model
    .requests()
    .filter(({ messages }) =>
      messages[0]?.parts.some((part) => part.kind === 'text' && part.text.includes(promptOf(name))),
    )
}
