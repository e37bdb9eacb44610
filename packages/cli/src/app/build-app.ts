import { type Application, buildApplication, buildRouteMap, text_en } from '@stricli/core'
import { acpCommand } from '../commands/acp/acp-command.ts'
import { agentsRoutes } from '../commands/agents/agents-command.ts'
import { approvalsCommand, approveCommand, rejectCommand } from '../commands/approvals/approvals-command.ts'
import { chatCommand } from '../commands/chat/chat-command.ts'
import { completionCommand } from '../commands/completion/completion-command.ts'
import { configRoutes } from '../commands/config/config-command.ts'
import { downCommand, statusCommand, upCommand } from '../commands/daemon/daemon-command.ts'
import { demoCommand } from '../commands/demo/demo-command.ts'
import { doctorCommand } from '../commands/doctor/doctor-command.ts'
import { engineRoutes, workerCommand } from '../commands/engine/engine-command.ts'
import { hooksRoutes } from '../commands/hooks/hooks-command.ts'
import { initCommand } from '../commands/init/init-command.ts'
import { lintCommand } from '../commands/lint/lint-command.ts'
import { loginCommand, logoutCommand } from '../commands/login/login-command.ts'
import { mcpRoutes } from '../commands/mcp/mcp-command.ts'
import { modelsCommand } from '../commands/models/models-command.ts'
import { openCommand } from '../commands/open/open-command.ts'
import { peopleRoutes } from '../commands/people/people-command.ts'
import { policyRoutes } from '../commands/policy/policy-command.ts'
import { recordCommand } from '../commands/record/record-command.ts'
import { replayCommand } from '../commands/replay/replay-command.ts'
import { resumeCommand } from '../commands/run/resume-command.ts'
import { runCommand } from '../commands/run/run-command.ts'
import { sessionsRoutes } from '../commands/sessions/sessions-command.ts'
import { setupCommand } from '../commands/setup/setup-command.ts'
import { tasksCommand } from '../commands/tasks/tasks-command.ts'
import { redoCommand, undoCommand } from '../commands/undo/undo-command.ts'
import { workspaceRoutes } from '../commands/workspace/workspace-command.ts'
import type { commands } from '../commands.ts'
import { helpText } from '../help-text.ts'
import type { CliContext } from './command.ts'
import { explainUsage } from './explain-usage.ts'

export function buildApp(): Application<CliContext> {
  const targets: { readonly [name in keyof typeof commands]: unknown } = {
    run: runCommand,
    chat: chatCommand,
    resume: resumeCommand,
    sessions: sessionsRoutes,
    approvals: approvalsCommand,
    approve: approveCommand,
    reject: rejectCommand,
    undo: undoCommand,
    redo: redoCommand,
    open: openCommand,
    up: upCommand,
    down: downCommand,
    status: statusCommand,
    worker: workerCommand,
    engine: engineRoutes,
    tasks: tasksCommand,
    workspace: workspaceRoutes,
    acp: acpCommand,
    init: initCommand,
    agents: agentsRoutes,
    lint: lintCommand,
    policy: policyRoutes,
    people: peopleRoutes,
    record: recordCommand,
    replay: replayCommand,
    mcp: mcpRoutes,
    hooks: hooksRoutes,
    setup: setupCommand,
    config: configRoutes,
    login: loginCommand,
    logout: logoutCommand,
    models: modelsCommand,
    demo: demoCommand,
    doctor: doctorCommand,
    completion: completionCommand,
  }
  // Without a prototype: `cadre constructor` must be an unknown command like any other.
  const routes = Object.assign(Object.create(null) as object, targets)
  const root = buildRouteMap<string, CliContext>({
    routes: routes as Parameters<typeof buildRouteMap<string, CliContext>>[0]['routes'],
    docs: { brief: 'Run teams of coding agents' },
  })
  return buildApplication<CliContext>(
    { ...root, formatHelp: () => helpText() },
    {
      name: 'cadre',
      scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
      documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true, useAliasInUsageLine: false },
      localization: { text: { ...text_en, ...explainUsage } },
    },
  )
}
