import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { AgentProgram } from '../program.ts'

/** Codex through its ACP adapter. It runs commands in a sandbox of its own without asking, so Cadre's sandbox encloses it. */
export const codexProgram: AgentProgram = {
  name: 'codex',
  title: 'Codex',
  control: 'sandbox',
  command: ['codex-acp'],
  install:
    'Install its adapter with "npm install -g @agentclientprotocol/codex-acp" and sign in with "codex login".',
  signIn: 'Sign in with "codex login", or set OPENAI_API_KEY.',
  trial: 'codex exec hello',
  tested: '2.6.0',
  variables: /^(OPENAI_API_KEY|CODEX_API_KEY|CODEX_CONFIG|MODEL_PROVIDER)$/,
  prepare({ folder, env }) {
    const home = path.join(folder, 'codex')
    mkdirSync(home, { mode: 0o700 })
    copyIfExists(path.join(env['CODEX_HOME'] || path.join(env['HOME'] ?? '', '.codex'), 'auth.json'), home)
    const hasKey = Boolean(env['CODEX_API_KEY'] || env['OPENAI_API_KEY'])
    return {
      env: { CODEX_HOME: home, INITIAL_AGENT_MODE: 'read-only', NO_BROWSER: '1' },
      authenticate: hasKey ? 'api-key' : undefined,
      mode: 'read-only',
    }
  },
}

/** Copies one file of a sign-in: the rest of the user's folder can contain servers and permissions. */
export function copyIfExists(file: string, folder: string): void {
  try {
    copyFileSync(file, path.join(folder, path.basename(file)))
  } catch {
    // Nobody has signed in this way.
  }
}
