import { homedir } from 'node:os'
import path from 'node:path'
import { type Tool, type ToolContext, teamTools } from '@cadre/core'
import { createPlaces, type Places } from '@cadre/gate'
import { openTaskFiles } from '@cadre/tasks'
import type { CommandOptions } from './commands/command-options.ts'
import { executeCommandTool } from './commands/execute-command.ts'
import { type CheckOptions, getErrorsTool } from './commands/get-errors.ts'
import type { ProtectedPath, WriteRules } from './files/confine.ts'
import { createDirectoryTool } from './files/create-directory.ts'
import { editFileTool } from './files/edit-file.ts'
import { listDirectoryTool } from './files/list-directory.ts'
import { readFileTool } from './files/read-file.ts'
import { viewImageTool } from './files/view-image.ts'
import { writeFileTool } from './files/write-file.ts'
import { readSkillTool, type SkillsIn } from './knowledge/read-skill.ts'
import { mailSendTool } from './messages/mail-send.ts'
import type { MessagePort } from './messages/message-port.ts'
import { sendMessageTool } from './messages/send-message.ts'
import type { SenderOptions } from './messages/senders.ts'
import { slackReadTool } from './messages/slack-read.ts'
import { slackSendTool } from './messages/slack-send.ts'
import { findFilesTool } from './search/find-files.ts'
import type { LocateRipgrep } from './search/locate-ripgrep.ts'
import type { EmbedLoader } from './search/ranked/embed.ts'
import { searchFilesTool } from './search/search-files.ts'
import { createTaskTool } from './tasks/create-task.ts'
import { queryTasksTool } from './tasks/query-tasks.ts'
import type { TaskPort } from './tasks/task-port.ts'
import { updateTaskTool } from './tasks/update-task.ts'
import { type WebOptions, webFetchTool } from './web/web-fetch.ts'

export interface ToolOptions {
  /** The home folder: what is in it may not be written, except its workspaces. */
  readonly home?: string
  /** Where agents may go; made from `home` when it is not given. */
  readonly places?: Places
  /** More paths that may not be written; the built-in ones always count. */
  readonly protectedPath?: ProtectedPath
  /** A protected path that whoever calls may write all the same: its own artifact, relative to the workspace. */
  readonly own?: (context: ToolContext) => string | undefined
  /** What `get_errors` runs. */
  readonly check?: CheckOptions
  readonly web?: WebOptions
  /** How commands are run. */
  readonly commands?: CommandOptions
  readonly locateRipgrep?: LocateRipgrep
  /** Which files of a workspace are left out of what listing and searching show. */
  readonly hiddenIn?: HiddenIn
  /** How agents leave messages for each other, asked for at the first call. Without it they cannot. */
  readonly messages?: () => MessagePort
  /** Whether agents can lead teams: the engine is given a port for them. */
  readonly teams?: boolean
  /** Task files; those of `home` when it is not given. Without either there are no tools for tasks. */
  readonly tasks?: TaskPort
  /** Whether somebody runs the tasks of `home` now. Absent: whoever writes one down is told nothing about it. */
  readonly attended?: () => boolean
  /** How messages leave. Absent: there is no tool that sends one. */
  readonly senders?: SenderOptions
  /** The skills of a workspace. Absent: there are none, and no tool for them. */
  readonly skills?: SkillsIn
  /** What searches by meaning are made with; without it they are by words. */
  readonly loadEmbed?: EmbedLoader
}

/** For one workspace: whether a file, by its real path, must not be shown. Nothing when every file may be. */
export type HiddenIn = (workspace: string) => ((real: string) => boolean) | undefined

/** The built-in tools. They work in whatever workspace each call comes with, and nowhere else. */
export function createTools(options: ToolOptions = {}): Tool[] {
  const { home, protectedPath, own } = options
  const places = options.places ?? createPlaces({ userHome: homedir(), ...(home !== undefined && { home }) })
  const rules: WriteRules = { places, protectedPath, own }
  return [
    readFileTool(places),
    writeFileTool(rules),
    editFileTool(rules),
    listDirectoryTool(options.hiddenIn, places),
    createDirectoryTool(rules),
    findFilesTool(options.locateRipgrep, options.hiddenIn, places),
    searchFilesTool({ ...options, places }),
    viewImageTool(places),
    webFetchTool(options.web),
    getErrorsTool(options.check, places, options.commands),
    executeCommandTool(places, options.commands),
    ...(options.messages ? [sendMessageTool(options.messages)] : []),
    ...(options.teams ? teamTools : []),
    ...taskTools(options),
    ...(options.skills ? [readSkillTool(options.skills)] : []),
    ...slackTools(options),
    ...(options.senders?.mail ? [mailSendTool(options.senders)] : []),
  ]
}

/** Without Slack, messages stay in the home: only agents that name these tools get them. */
function slackTools({ home, senders }: ToolOptions): Tool[] {
  if (senders === undefined) return []
  const tools = [...(home === undefined ? [] : [slackReadTool(home)]), slackSendTool(senders)]
  return senders.slack === false ? tools.map(unlessNamed) : tools
}

function unlessNamed(tool: Tool): Tool {
  return { ...tool, onlyNamed: true }
}

/** Without a daemon, nobody starts the tasks: only agents that name these tools get them. */
function taskTools({ tasks, home, attended }: ToolOptions): Tool[] {
  if (tasks === undefined && home === undefined) return []
  // Opened at the first call: most runs never ask for a task.
  let opened = tasks
  const port = () => (opened ??= openTaskFiles({ folder: path.join(home as string, 'tasks') }))
  const all = [queryTasksTool(port), createTaskTool(port, attended), updateTaskTool(port)]
  return attended?.() === false ? all.map(unlessNamed) : all
}
