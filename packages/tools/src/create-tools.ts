import { homedir } from 'node:os'
import type { Tool, ToolContext } from '@cadre/core'
import { createPlaces, type Places } from '@cadre/gate'
import type { ProtectedPath, WriteRules } from './confine.ts'
import { createDirectoryTool } from './create-directory-tool.ts'
import { editFileTool } from './edit-file-tool.ts'
import { type CommandOptions, executeCommandTool } from './execute-command-tool.ts'
import { findFilesTool } from './find-files-tool.ts'
import { type CheckOptions, getErrorsTool } from './get-errors-tool.ts'
import { listDirectoryTool } from './list-directory-tool.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'
import { readFileTool } from './read-file-tool.ts'
import { searchFilesTool } from './search-files-tool.ts'
import { viewImageTool } from './view-image-tool.ts'
import { type WebOptions, webFetchTool } from './web-fetch-tool.ts'
import { writeFileTool } from './write-file-tool.ts'

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
}

/** For one workspace: whether a file, by its real path, must not be shown. Nothing when every file may be. */
export type HiddenIn = (workspace: string) => ((real: string) => boolean) | undefined

/** The built-in tools. They work in whatever workspace each call comes with, and nowhere else. */
export function createTools(options: ToolOptions = {}): Tool[] {
  const { home, protectedPath, own } = options
  const places = options.places ?? createPlaces({ userHome: homedir(), ...(home !== undefined && { home }) })
  const rules: WriteRules = { places, protectedPath, own }
  return [
    readFileTool(),
    writeFileTool(rules),
    editFileTool(rules),
    listDirectoryTool(options.hiddenIn),
    createDirectoryTool(rules),
    findFilesTool(options.locateRipgrep, options.hiddenIn),
    searchFilesTool(options.locateRipgrep, options.hiddenIn),
    viewImageTool(),
    webFetchTool(options.web),
    getErrorsTool(options.check, places, options.commands),
    executeCommandTool(places, options.commands),
  ]
}
