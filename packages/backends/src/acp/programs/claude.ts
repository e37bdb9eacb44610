import type { Environment } from '../../child-environment.ts'
import { type AgentProgram, serverName } from '../program.ts'

const variables =
  /^(ANTHROPIC_\w+|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CONFIG_DIR|CLAUDE_CODE_EXECUTABLE|CLAUDE_CODE_USE_(BEDROCK|VERTEX)|CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC|DISABLE_(AUTOUPDATER|TELEMETRY))$/

/** What Claude Code does by itself. `@path` in a message would read a file, past the gate. */
const switchedOff = Object.fromEntries(
  [
    'FILE_MENTIONS',
    'ATTACHMENTS',
    'CLAUDE_MDS',
    'AUTO_MEMORY',
    'BACKGROUND_TASKS',
    'MCP_TASK_BACKGROUND',
    'BUNDLED_SKILLS',
    'WORKFLOWS',
    'CRON',
    'WEB_FETCH',
  ].map((name) => [`CLAUDE_CODE_DISABLE_${name}`, '1']),
)

/** Claude Code through its ACP adapter. `tools: []` removes all of its own tools, also from its subagents. */
export const claudeProgram: AgentProgram = {
  name: 'claude',
  title: 'Claude Code',
  control: 'tools',
  command: ['claude-agent-acp'],
  install:
    'Install its adapter with "npm install -g @agentclientprotocol/claude-agent-acp" (Node 22 or newer) and sign in with "claude /login", or set ANTHROPIC_API_KEY.',
  signIn: 'Sign in with "claude /login", or set ANTHROPIC_API_KEY.',
  trial: 'claude -p hello',
  tested: '0.99.1',
  variables,
  prepare({ env, system, model }) {
    return {
      env: {
        ...cloudVariables(env),
        // A call waits as long as its approval takes.
        MCP_TOOL_TIMEOUT: String(10 ** 8),
        CLAUDE_CODE_MAX_RETRIES: '4',
        DISABLE_AUTOUPDATER: '1',
        ...switchedOff,
      },
      meta: {
        ...(system.trim() !== '' && { systemPrompt: system }),
        claudeCode: {
          options: {
            tools: [],
            allowedTools: [`mcp__${serverName}`],
            // No settings of the user or a project: they can contain hooks, permissions and servers.
            settingSources: [],
            settings: { disableAllHooks: true },
            strictMcpConfig: true,
            permissionMode: 'default',
            allowDangerouslySkipPermissions: false,
            promptSuggestions: false,
            ...(model !== undefined && { model }),
          },
        },
      },
      hasSystem: system.trim() !== '',
      hasModel: true,
    }
  },
  failureIn: (text) => /^API Error: (.+)/s.exec(text)?.[1],
}

/** The keys of a cloud, only if Claude Code gets its model from there. */
function cloudVariables(env: Environment): Environment {
  const wanted = [
    ...(env['CLAUDE_CODE_USE_BEDROCK'] ? [/^AWS_/] : []),
    ...(env['CLAUDE_CODE_USE_VERTEX']
      ? [/^(CLOUD_ML_REGION|GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_PROJECT)$/]
      : []),
  ]
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted.some((one) => one.test(name))))
}
