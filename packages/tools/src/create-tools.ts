import { homedir } from 'node:os'
import path from 'node:path'
import { type Tool, type ToolContext, teamTools } from '@cadre/core'
import { createPathResolver, type PathResolver } from '@cadre/gate'
import { openTaskFiles } from '@cadre/tasks'
import type { CommandOptions } from './commands/command-options.ts'
import { executeCommandTool } from './commands/execute-command.ts'
import { type CheckOptions, getErrorsTool } from './commands/get-errors.ts'
import type { ProtectedPath, WriteRules } from './files/confine-path.ts'
import { createDirectoryTool } from './files/create-directory.ts'
import type { Documents } from './files/documents.ts'
import { editFileTool } from './files/edit-file.ts'
import { listDirectoryTool } from './files/list-directory.ts'
import { readFileTool } from './files/read-file.ts'
import { viewImageTool } from './files/view-image.ts'
import { writeFileTool } from './files/write-file.ts'
import { type ListSkills, readSkillTool } from './knowledge/read-skill.ts'
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
  /** The home: read-only for agents, except for its workspaces. */
  readonly home?: string
  /** The paths that agents may access. Default: derived from `home`. */
  readonly places?: PathResolver
  /** Additional paths that may not be written; the built-in ones always apply. */
  readonly protectedPath?: ProtectedPath
  /** A protected path that the caller may write anyway: its own artifact, relative to the workspace. */
  readonly own?: (context: ToolContext) => string | undefined
  /** The editor that runs Cadre, if it reads and writes files itself. */
  readonly documents?: Documents | undefined
  /** The command of `get_errors`. */
  readonly check?: CheckOptions
  readonly web?: WebOptions
  /** How commands run. */
  readonly commands?: CommandOptions
  readonly locateRipgrep?: LocateRipgrep
  /** Returns which files in a workspace are hidden from listing and searching. */
  readonly hiddenIn?: HiddenFileFilter
  /** The port for messages between agents, opened at the first call. Without it, agents cannot send messages. */
  readonly messages?: () => MessagePort
  /** True if agents can lead teams: the engine has a port for them. */
  readonly teams?: boolean
  /** Task files. Default: those of `home`. Without either, there are no task tools. */
  readonly tasks?: TaskPort
  /** Returns whether a daemon runs the tasks of `home` now. Absent: the tools do not mention it. */
  readonly attended?: () => boolean
  /** How messages are sent. Absent: there are no tools for sending. */
  readonly senders?: SenderOptions
  /** The skills of a workspace. Absent: there are none, and no tool for them. */
  readonly skills?: ListSkills
  /** Loads the embeddings for semantic search; without it, search uses words. */
  readonly loadEmbedder?: EmbedLoader
}

/** For one workspace: returns whether a file must be hidden, by its real path. Undefined if none is. */
export type HiddenFileFilter = (workspace: string) => ((real: string) => boolean) | undefined

/** The built-in tools. Each call works in its own workspace, and nowhere else. */
export function createTools(options: ToolOptions = {}): Tool[] {
  const { home, protectedPath, own, documents } = options
  const places =
    options.places ?? createPathResolver({ userHome: homedir(), ...(home !== undefined && { home }) })
  const rules: WriteRules = { places, protectedPath, own, documents }
  return [
    readFileTool(places, documents),
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

/** Without a daemon, tasks do not start: only agents that name these tools get them. */
function taskTools({ tasks, home, attended }: ToolOptions): Tool[] {
  if (tasks === undefined && home === undefined) return []
  // Opened at the first call, because most runs use no tasks.
  let opened = tasks
  const port = () => (opened ??= openTaskFiles({ folder: path.join(home as string, 'tasks') }))
  const all = [queryTasksTool(port), createTaskTool(port, attended), updateTaskTool(port)]
  return attended?.() === false ? all.map(unlessNamed) : all
}
