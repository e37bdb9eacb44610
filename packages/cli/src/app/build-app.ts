import { type Application, buildApplication, buildRouteMap, text_en } from '@stricli/core'
import type { commands } from '../commands.ts'
import { helpText } from '../help-text.ts'
import { agentsRoutes } from './agents-commands.ts'
import { approvalsCommand, approveCommand, rejectCommand } from './approvals-commands.ts'
import { chatCommand } from './chat-command.ts'
import type { CliContext } from './command.ts'
import { downCommand, statusCommand, upCommand } from './daemon-commands.ts'
import { explainUsage } from './explain-usage.ts'
import { hooksRoutes } from './hooks-commands.ts'
import { initCommand } from './init-command.ts'
import { lintCommand } from './lint-command.ts'
import { demoCommand, doctorCommand } from './other-commands.ts'
import { policyRoutes } from './policy-commands.ts'
import { resumeCommand } from './resume-command.ts'
import { runCommand } from './run-command.ts'
import { sessionsRoutes } from './sessions-commands.ts'
import { tasksCommand } from './tasks-command.ts'
import { workspaceRoutes } from './workspace-commands.ts'

export function buildApp(): Application<CliContext> {
  const targets: { readonly [name in keyof typeof commands]: unknown } = {
    run: runCommand,
    chat: chatCommand,
    resume: resumeCommand,
    sessions: sessionsRoutes,
    approvals: approvalsCommand,
    approve: approveCommand,
    reject: rejectCommand,
    up: upCommand,
    down: downCommand,
    status: statusCommand,
    tasks: tasksCommand,
    workspace: workspaceRoutes,
    init: initCommand,
    agents: agentsRoutes,
    lint: lintCommand,
    policy: policyRoutes,
    hooks: hooksRoutes,
    demo: demoCommand,
    doctor: doctorCommand,
  }
  // Without a prototype: `cadre constructor` must be an unknown command like any other.
  const routes = Object.assign(Object.create(null) as object, targets)
  const root = buildRouteMap<string, CliContext>({
    routes: routes as Parameters<typeof buildRouteMap<string, CliContext>>[0]['routes'],
    docs: { brief: 'Runs teams of coding agents' },
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
