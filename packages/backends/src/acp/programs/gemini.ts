import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject } from '@cadre/core'
import { listOf, objectOf, textOf } from '../../json-values.ts'
import type { AgentProgram } from '../program.ts'
import { copyIfExists } from './codex.ts'

/** Gemini CLI. Its private home has the sign-in of the user, and no other settings. */
export const geminiProgram: AgentProgram = {
  name: 'gemini',
  title: 'Gemini CLI',
  control: 'sandbox',
  command: ['gemini', '--acp'],
  install: 'Install it with "npm install -g @google/gemini-cli" and sign in by running "gemini" once.',
  signIn: 'Sign in by running "gemini" once, or set GEMINI_API_KEY.',
  trial: 'gemini -p hello',
  tested: '0.61.0',
  variables:
    /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GEMINI_BASE_URL|GOOGLE_CLOUD_PROJECT|GOOGLE_CLOUD_LOCATION|GOOGLE_GENAI_USE_VERTEXAI)$/,
  prepare({ folder, env, model }) {
    const home = path.join(folder, 'home')
    const own = path.join(home, '.gemini')
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const source = path.join(env['HOME'] ?? '', '.gemini')
    for (const name of ['oauth_creds.json', 'google_accounts.json', 'installation_id'])
      copyIfExists(path.join(source, name), own)
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
  commandIn,
}

/** The title is the whole command. The text below it names the folder. */
function commandIn({ title, content }: JsonObject): JsonObject | undefined {
  const [first, another] = listOf(content)
  const text = textOf(objectOf(first?.['content'])['text'])
  if (typeof title !== 'string' || another !== undefined) return undefined
  if (text.startsWith('[current working directory ')) return { command: title }
  // A second bracket could be part of the name of the folder.
  const [, cwd] = /^\[in ([^\][]+)\][^\]]*$/.exec(text) ?? []
  return cwd === undefined ? undefined : { command: title, cwd }
}
