import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { copilotFolder } from '../copilot-folder.ts'
import type { Sdk } from './sdk-types.ts'

type Environment = { readonly [name: string]: string | undefined }

const packageName = '@github/copilot-sdk'

/**
 * Finds the folder of the SDK, which is not part of Cadre. Never searches the workspace, because a cloned folder must not
 * decide which code runs. In order: `CADRE_COPILOT_SDK`, Cadre's installation folder for Copilot packages, next to Cadre.
 */
export function findCopilotSdk(env: Environment): string | undefined {
  const chosen = env['CADRE_COPILOT_SDK']?.trim()
  // If a folder is configured, no other one is used.
  if (chosen) return isSdk(chosen) ? chosen : undefined
  return [path.join(copilotFolder(env), 'node_modules', packageName), ...besideCadre()].find(isSdk)
}

/** Rejects if the package cannot be loaded. */
export async function loadCopilotSdk(folder: string): Promise<Sdk> {
  return (await import(/* @vite-ignore */ pathToFileURL(entryOf(folder)).href)) as Sdk
}

export function missingSdkMessage(env: Environment): string {
  const chosen = env['CADRE_COPILOT_SDK']?.trim()
  if (chosen)
    return `CADRE_COPILOT_SDK is set to ${chosen}, which does not contain ${packageName}. Set it to the package's folder.`
  return `${packageName} is not installed. Run "cadre login --sdk", or install it in ${copilotFolder(env)}.`
}

function isSdk(folder: string): boolean {
  return path.isAbsolute(folder) && existsSync(entryOf(folder))
}

function entryOf(folder: string): string {
  return path.join(folder, 'dist', 'index.js')
}

function besideCadre(): string[] {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? []
  return folders.map((folder) => path.join(folder, packageName))
}
