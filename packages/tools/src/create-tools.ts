import type { Tool } from '@cadre/core'
import { createDirectoryTool } from './create-directory-tool.ts'
import { editFileTool } from './edit-file-tool.ts'
import { findFilesTool } from './find-files-tool.ts'
import { type CheckOptions, getErrorsTool } from './get-errors-tool.ts'
import { listDirectoryTool } from './list-directory-tool.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'
import { type ProtectedPath, protectedPaths } from './protected-paths.ts'
import { readFileTool } from './read-file-tool.ts'
import { searchFilesTool } from './search-files-tool.ts'
import { viewImageTool } from './view-image-tool.ts'
import { type WebOptions, webFetchTool } from './web-fetch-tool.ts'
import { writeFileTool } from './write-file-tool.ts'

export interface ToolOptions {
  /** The home folder: what is in it may not be written, except its workspaces. */
  readonly home?: string
  /** More paths that may not be written; the built-in ones always count. */
  readonly protectedPath?: ProtectedPath
  /** What `get_errors` runs. */
  readonly check?: CheckOptions
  readonly web?: WebOptions
  readonly locateRipgrep?: LocateRipgrep
}

/** The built-in tools. They work in whatever workspace each call comes with, and nowhere else. */
export function createTools(options: ToolOptions = {}): Tool[] {
  const always = protectedPaths(options.home === undefined ? {} : { home: options.home })
  const protectedPath: ProtectedPath = (path) => always(path) ?? options.protectedPath?.(path)
  return [
    readFileTool(),
    writeFileTool(protectedPath),
    editFileTool(protectedPath),
    listDirectoryTool(),
    createDirectoryTool(protectedPath),
    findFilesTool(options.locateRipgrep),
    searchFilesTool(options.locateRipgrep),
    viewImageTool(),
    webFetchTool(options.web),
    getErrorsTool(options.check),
  ]
}
