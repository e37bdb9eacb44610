import * as vscode from 'vscode'
import { registerChat } from './chat/register-chat.ts'
import { registerChatAgents } from './chat-agents/register-chat-agents.ts'
import { createHomes } from './home/homes.ts'
import { registerLanguages } from './languages/register-languages.ts'
import { registerMcpServer } from './mcp/register-mcp-server.ts'
import { registerTrust } from './run/register-trust.ts'
import { createRuns } from './run/runs.ts'
import type { Services } from './services.ts'
import { createAgentSettings } from './settings/agent-settings.ts'
import { registerSettings } from './settings/register-settings.ts'
import { registerViews } from './views/register-views.ts'

let stop: (() => Promise<void>) | undefined

/** Registers everything without loading the engine, which is loaded on first use. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Copilot Multi-Agent', { log: true })
  const settings = createAgentSettings(context)
  const homes = createHomes(log)
  const runs = createRuns({ log, settings, homes })
  stop = runs.stop
  const services: Services = { log, settings, homes, runs }
  registerChatAgents(context, services)
  context.subscriptions.push(
    log,
    settings,
    homes,
    runs,
    registerTrust(services),
    registerChat(context, services),
    registerSettings(context, services),
    registerViews(context, services),
    registerLanguages(context, services),
    registerMcpServer(context),
  )
}

/** Suspends all runs; VS Code waits briefly. Everything else is disposed with the context's subscriptions. */
export function deactivate(): Promise<void> | undefined {
  return stop?.()
}
