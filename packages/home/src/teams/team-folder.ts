/**
 * Owns the list of files in `teams/` that are part of a team. Other files are not read, adopted or deleted.
 *
 * 1. `teams/`, the folder of a team and its `inboxes/` must be folders, because a link could point into the project.
 * 2. A folder becomes a team only if it is new, or if another program created it for a team.
 * 3. Deleting a team removes the files that Cadre wrote, and folders that are then empty. The configuration is removed last, so that
 *    deleting can be retried.
 */
import { rmdirSync } from 'node:fs'
import { entryAt, hasCode, listFolder, unlinkIfExists } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { receiptsName } from '../mailboxes/mailbox-name.ts'

export const teamsFolder = 'teams'
export const configName = 'config.json'
export const inboxesFolder = 'inboxes'

/** Left behind by a process that was killed while it wrote the configuration. */
const draft = /^\.config\.json\.\d+\.tmp$/

/** Returns the reason why the folder of a team cannot be used, or `undefined` if it can or does not exist. */
export function refuseLinks(home: Home, place: string): string | undefined {
  const folders = [[teamsFolder], [teamsFolder, place], [teamsFolder, place, inboxesFolder]]
  const wrong = folders.find((names) => entryAt(home.at(...names))?.isDirectory() === false)
  return wrong && `${wrong.join('/')} is not a regular folder. Ask a person to replace it.`
}

/** Returns the reason why no team can be created in a folder. A folder of another program has a configuration, or only inboxes. */
export function refuseFolder(home: Home, place: string): string | undefined {
  const names = listFolder(home.at(teamsFolder, place))
  const others = names.includes(configName)
    ? []
    : names.filter((name) => name !== inboxesFolder && !draft.test(name))
  // The author of existing messages in Cadre's format is unknown. They would be delivered as messages of this team.
  const inboxes = listFolder(home.at(teamsFolder, place, inboxesFolder))
  const messages = inboxes.filter((name) => !name.endsWith('.json'))
  const strange = [...others, ...messages.map((name) => `${inboxesFolder}/${name}`)]
  if (strange.length === 0) return undefined
  const list = strange.slice(0, 3).join(', ')
  return `${teamsFolder}/${place} contains files that do not belong to this team (${list}). Choose another name, or ask a person to remove that folder.`
}

export function removeTeamFiles(home: Home, place: string, members: Iterable<string>): void {
  const at = home.at(teamsFolder, place)
  for (const member of members)
    for (const name of [member, receiptsName(member)])
      unlinkIfExists(home.at(teamsFolder, place, inboxesFolder, `${name}.jsonl`))
  for (const name of listFolder(at)) if (draft.test(name)) unlinkIfExists(home.at(teamsFolder, place, name))
  removeIfEmpty(home.at(teamsFolder, place, inboxesFolder))
  unlinkIfExists(home.at(teamsFolder, place, configName))
  removeIfEmpty(at)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
