import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject } from '@cadre/core'
import type { Environment } from '../../child-environment.ts'
import { absoluteOrUndefined } from '../../copilot-folder.ts'
import { objectOf } from '../../json-values.ts'
import { type AgentProgram, serverName } from '../program.ts'

const variables =
  /^(OPENCODE_API_KEY|(ANTHROPIC|OPENAI|GEMINI|OPENROUTER|GROQ|MISTRAL|XAI|DEEPSEEK)_API_KEY)$/

/** Which models there are, and how to reach them. Everything else in the user's file could run something. */
const keptKeys = ['provider', 'model', 'small_model', 'enabled_providers', 'disabled_providers']

/**
 * opencode. Its configuration is private: all of its tools, agents, plugins and commands are off, so it never asks, and never
 * waits for a question that a subagent cannot show.
 */
export const opencodeProgram: AgentProgram = {
  name: 'opencode',
  title: 'opencode',
  control: 'tools',
  command: ['opencode', 'acp'],
  install: 'Install it with "npm install -g opencode-ai" and sign in with "opencode auth login".',
  signIn: 'Sign in with "opencode auth login".',
  trial: 'opencode run hello',
  tested: '1.18.34',
  variables,
  prepare({ folder, env, model }) {
    const config = path.join(folder, 'config')
    mkdirSync(path.join(config, 'opencode'), { recursive: true, mode: 0o700 })
    const own = userConfig(env)
    const whole: JsonObject = {
      ...own,
      ...(model !== undefined && { model }),
      autoupdate: false,
      share: 'disabled',
      plugin: [],
      instructions: [],
      mcp: {},
      lsp: false,
      formatter: false,
      tools: { '*': false, [`${serverName}_*`]: true },
      permission: { '*': 'deny', [`${serverName}_*`]: 'allow' },
      agent: { plan: { disable: true }, general: { disable: true }, explore: { disable: true } },
      experimental: { mcp_timeout: 10 ** 8 },
    }
    writeFileSync(path.join(config, 'opencode', 'opencode.json'), JSON.stringify(whole), { mode: 0o600 })
    return {
      env: {
        ...referredVariables(own, env),
        XDG_CONFIG_HOME: config,
        XDG_DATA_HOME: env['XDG_DATA_HOME'],
        // opencode keeps locks there. A killed opencode leaves them behind, and the next one waits for a minute.
        XDG_STATE_HOME: path.join(folder, 'state'),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_CLAUDE_CODE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
      hasModel: true,
    }
  },
}

function userConfig(env: Environment): JsonObject {
  const home = absoluteOrUndefined(env['XDG_CONFIG_HOME']) ?? path.join(env['HOME'] ?? '', '.config')
  for (const name of ['opencode.jsonc', 'opencode.json', 'config.json']) {
    try {
      const all = objectOf(JSON.parse(readFileSync(path.join(home, 'opencode', name), 'utf8')))
      return Object.fromEntries(keptKeys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])))
    } catch {
      // There is no such file, or it has comments. Then opencode has the providers of its sign-in.
    }
  }
  return {}
}

/** `{env:NAME}` in the settings of a provider. */
function referredVariables(config: JsonObject, env: Environment): { [name: string]: string | undefined } {
  const found = JSON.stringify(config).matchAll(/\{env:(\w+)\}/g)
  return Object.fromEntries([...found].map(([, name = '']) => [name, env[name]]))
}
