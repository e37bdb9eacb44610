import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentProgram } from '../program.ts'
import { copyIfThere } from './codex.ts'

/** Gemini CLI. Its private home has the sign-in of the user, and no other settings. */
export const geminiProgram: AgentProgram = {
  name: 'gemini',
  title: 'Gemini CLI',
  control: 'sandbox',
  command: ['gemini', '--acp'],
  install: 'Install it with "npm install -g @google/gemini-cli" and sign in by running "gemini" once.',
  variables:
    /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_CLOUD_PROJECT|GOOGLE_CLOUD_LOCATION|GOOGLE_GENAI_USE_VERTEXAI)$/,
  prepare({ folder, env, model }) {
    const home = path.join(folder, 'home')
    const own = path.join(home, '.gemini')
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const source = path.join(env['HOME'] ?? '', '.gemini')
    for (const name of ['oauth_creds.json', 'google_accounts.json', 'installation_id'])
      copyIfThere(path.join(source, name), own)
    const way = env['GEMINI_API_KEY'] ? 'gemini-api-key' : 'oauth-personal'
    const settings = { general: { enableAutoUpdate: false }, security: { auth: { selectedType: way } } }
    writeFileSync(path.join(own, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
    return {
      ...(model !== undefined && { args: ['--model', model], hasModel: true }),
      env: { HOME: home },
      authenticate: way,
      mode: 'default',
    }
  },
}
