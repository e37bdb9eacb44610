import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { loadTeam, type Team } from '@cadre/agents'
import { isInside, maskUserinfo } from '@cadre/disk'
import { fingerprintModule, loadConfig, moduleFiles, type NeedsTrust, resolveModule } from '@cadre/home'
import type { FolderItem } from './folder-item.ts'
import { scriptsNamedIn } from './scripts-named-in.ts'

const settingEffects: { readonly [key: string]: string } = {
  openai: 'decides where Cadre sends conversations and the key, and may run a command',
  anthropic: 'decides where Cadre sends conversations and the key, and may run a command',
  copilot: 'decides which program runs as the language server and where Cadre sends conversations and keys',
  tools: 'runs code from the repository as tools',
  check: 'runs a program when an agent asks for errors',
  web: 'lets agents access private networks',
  channels: 'receives and sends messages, and may open a port',
  daemon: 'makes the server for channels reachable from other machines',
  engine: 'decides which server runs sessions and which repository gets their files',
  mcp: 'starts MCP servers, whose tools agents use',
  search: 'may run code from the repository or send file contents to the model endpoint for semantic search',
}

/**
 * Returns what the configuration of a home would run or permit, with the modules and scripts it names. For the user's own
 * home, only items of the project remain. An invalid configuration has no items, because no run starts with it.
 */
export async function configItems(home: string, project: string, isOwn = false): Promise<FolderItem[]> {
  if (!existsSync(path.join(home, 'config.yaml'))) return []
  const loaded = await loadConfig({ home }).catch(() => undefined)
  if (loaded === undefined) return []
  // The owner of the home wrote the settings, but not the files in the project.
  if (isOwn)
    return loaded.needsTrust
      .flatMap((need) => itemsNamedBy(need, project))
      .filter(({ path: file }) => !isModuleOf(home, file))
  const settings = loaded.needsTrust.flatMap((need) => [itemOf(need), ...itemsNamedBy(need, project)])
  const { team } = loaded.config
  const item = team === undefined ? undefined : teamItem(team, home)
  return item === undefined ? settings : [...settings, item]
}

/** True if a module and everything it imports are in a home. */
export function isModuleOf(home: string, module: string): boolean {
  // A missing module cannot run.
  if (!existsSync(module)) return isInside(home, module)
  try {
    const real = realpathSync(home)
    return moduleFiles(module)?.every(({ path: file }) => isInside(real, file)) ?? false
  } catch {
    return false
  }
}

function itemOf({ path, sha256, key, value, file, line }: NeedsTrust): FolderItem {
  return {
    path,
    sha256,
    file,
    line,
    what: `${settingEffects[key] ?? 'permits more than the default'} (${key}: ${maskUserinfo(JSON.stringify(value))})`,
  }
}

function itemsNamedBy({ key, value, file, line }: NeedsTrust, project: string): FolderItem[] {
  if (key === 'tools' && Array.isArray(value)) {
    return value.map((name) => {
      const module = path.resolve(path.dirname(file), String(name))
      return {
        path: module,
        sha256: fingerprintModule(module) ?? 'unreadable',
        file: module,
        what: 'runs as a tool module',
      }
    })
  }
  if (key === 'search') return searchModule(value, file)
  const command = (value as { readonly command?: unknown } | null)?.command
  if (key !== 'check' || !Array.isArray(command)) return []
  return scriptsNamedIn(command.map(String), project).map((item) => ({
    ...item,
    file: item.path,
    what: `is run by check (${file}:${line})`,
  }))
}

function searchModule(value: NeedsTrust['value'], file: string): FolderItem[] {
  const { module } = (value as { readonly semantic?: { readonly module?: unknown } } | null)?.semantic ?? {}
  const found = resolveModule(String(module ?? ''), path.dirname(file))
  if (found === undefined) return []
  const sha256 = fingerprintModule(found) ?? 'unreadable'
  return [{ path: found, sha256, file: found, what: 'runs when an agent uses semantic search' }]
}

/** A team that permits more than the default needs trust, no matter which file names it. */
function teamItem(name: string, home: string): FolderItem | undefined {
  const effects = teamNamed(name)?.effects ?? {}
  const allowed = Object.entries(effects).flatMap(([effect, permission]) =>
    permission === 'allow' ? [effect] : [],
  )
  if (allowed.length === 0) return undefined
  const file = path.join(home, 'config.yaml')
  return {
    path: `${file}#team`,
    sha256: createHash('sha256')
      .update(`${name} ${allowed.join(' ')}`)
      .digest('hex'),
    file,
    what: `uses the team ${name}, whose agents ${allowed.join(' and ')} without approval (team: ${name})`,
  }
}

function teamNamed(name: string): Team | undefined {
  try {
    return loadTeam(name)
  } catch {
    // There is no such team, which the run reports.
    return undefined
  }
}
