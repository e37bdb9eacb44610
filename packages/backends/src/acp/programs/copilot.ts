import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '../../child-environment.ts'
import { objectOf } from '../../json-values.ts'
import { type AgentProgram, serverName } from '../program.ts'

// Never COPILOT_ALLOW_ALL: it switches all questions off and trusts the folder.
const variables =
  /^(COPILOT_GITHUB_TOKEN|GH_TOKEN|GITHUB_TOKEN|GH_HOST|COPILOT_GH_HOST|COPILOT_MODEL|COPILOT_OFFLINE|COPILOT_PROVIDER_\w+)$/

/**
 * GitHub Copilot CLI. `--available-tools` removes all of its own tools, also from its subagents. Its folder is empty, because
 * it runs `.github/hooks` and starts the servers of `.github/agents` without asking.
 */
export const copilotProgram: AgentProgram = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  control: 'tools',
  command: ['copilot'],
  install: 'Install it with "npm install -g @github/copilot" and sign in with "copilot login".',
  signIn: 'Sign in with "copilot login".',
  trial: 'copilot -p hello',
  tested: '1.0.102',
  variables,
  prepare({ folder, env, tools, model }) {
    const home = path.join(folder, 'copilot')
    mkdirSync(home, { mode: 0o700 })
    copySignIn(env, home)
    // Without a name, the list would be empty, which could mean "all". No tool has this name.
    const available = [...tools, '-none'].map((name) => `${serverName}-${name}`)
    return {
      args: [
        '--acp',
        '--stdio',
        '--no-auto-update',
        '--no-custom-instructions',
        '--no-remote',
        '--no-experimental',
        '--disable-builtin-mcps',
        '--log-level=none',
        `--available-tools=${available.join(',')}`,
        ...(model === undefined ? [] : [`--model=${model}`]),
      ],
      env: { COPILOT_HOME: home, COPILOT_AUTO_UPDATE: 'false' },
      hasModel: true,
    }
  },
  isRemark: (text) => /^Info: (Disabled tools: |Unknown tool name |Request failed )/.test(text),
  // It reports failures of its backend as text, at the end of a turn that counts as complete.
  failureIn: (text) => /^Error: (.+)/s.exec(text)?.[1],
}

const signInKeys = /^(last_?logged_?in_?user|logged_?in_?users|copilot_?tokens)$/i

/** Its folder is private, so that it loads no hooks, agents or servers. Only the account is copied. */
function copySignIn(env: Environment, home: string): void {
  const source = env['COPILOT_HOME'] || path.join(env['HOME'] ?? '', '.copilot')
  try {
    const lines = readFileSync(path.join(source, 'config.json'), 'utf8').split('\n')
    const config = objectOf(JSON.parse(lines.filter((line) => !/^\s*\/\//.test(line)).join('\n')))
    const kept = Object.entries(config).filter(([key]) => signInKeys.test(key))
    if (kept.length === 0) return
    writeFileSync(path.join(home, 'config.json'), JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 })
  } catch {
    // Nobody has signed in with a file. A token in the environment or in the keychain works without one.
  }
}
