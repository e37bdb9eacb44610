/**
 * Owns which files in `teams/` belong to a team. Nothing else there is read, taken over or deleted.
 *
 * 1. `teams/`, the folder of a team and its `inboxes/` are folders. A link could lead into the project.
 * 2. A folder becomes a team only if it is new, or if another program made it for a team.
 * 3. Of a team that is deleted, the files that Cadre wrote are removed, and folders that are empty then. The configuration goes last:
 *    as long as it is there, deleting can be tried again.
 */
import { rmdirSync } from 'node:fs'
import { entryAt, hasCode, listFolder, unlinkIfThere } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'
import { receiptsName } from '../mailboxes/mailbox-name.ts'

export const teamsFolder = 'teams'
export const configName = 'config.json'
export const inboxesName = 'inboxes'

/** Left behind by a process that was killed while it wrote the configuration. */
const draft = /^\.config\.json\.\d+\.tmp$/

/** Why the folder of a team cannot be used; nothing when it can, or is not there. */
export function refuseLinks(home: Home, place: string): string | undefined {
  const folders = [[teamsFolder], [teamsFolder, place], [teamsFolder, place, inboxesName]]
  const wrong = folders.find((names) => entryAt(home.at(...names))?.isDirectory() === false)
  return wrong && `${wrong.join('/')} is not a regular folder. Ask a person to replace it.`
}

/** Why no team can be created in a folder. One that other programs made has a configuration, or inboxes and nothing else. */
export function refuseFolder(home: Home, place: string): string | undefined {
  const names = listFolder(home.at(teamsFolder, place))
  const others = names.includes(configName)
    ? []
    : names.filter((name) => name !== inboxesName && !draft.test(name))
  // Nobody knows who wrote what lies there in the format of Cadre. It would be delivered as if it had been sent to this team.
  const inboxes = listFolder(home.at(teamsFolder, place, inboxesName))
  const messages = inboxes.filter((name) => !name.endsWith('.json'))
  const strange = [...others, ...messages.map((name) => `${inboxesName}/${name}`)]
  if (strange.length === 0) return undefined
  const list = strange.slice(0, 3).join(', ')
  return `${teamsFolder}/${place} contains files that do not belong to this team (${list}). Choose another name, or ask a person to remove that folder.`
}

export function removeTeamFiles(home: Home, place: string, members: Iterable<string>): void {
  const at = home.at(teamsFolder, place)
  for (const member of members)
    for (const name of [member, receiptsName(member)])
      unlinkIfThere(home.at(teamsFolder, place, inboxesName, `${name}.jsonl`))
  for (const name of listFolder(at)) if (draft.test(name)) unlinkIfThere(home.at(teamsFolder, place, name))
  removeIfEmpty(home.at(teamsFolder, place, inboxesName))
  unlinkIfThere(home.at(teamsFolder, place, configName))
  removeIfEmpty(at)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
