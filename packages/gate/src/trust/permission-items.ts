import { readInsideFolder } from '@cadre/disk'
import { allowsMore } from '../permissions/allows-more.ts'
import { permissionsTrustItem, projectFiles } from '../permissions/find-permissions.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import type { FolderContents, FolderItem } from './folder-item.ts'

/** Returns rules in the project's Claude Code settings that allow calls without approval. */
export function permissionItems(project: string): FolderContents {
  const items: FolderItem[] = []
  const unusable: { file: string; reason: string }[] = []
  for (const file of projectFiles(project)) {
    const content = readInsideFolder(project, file)
    if (content.kind === 'unusable') unusable.push({ file, reason: content.reason })
    if (content.kind !== 'read') continue
    const rules = readPermissions({ path: file, text: content.text, level: 'project' }).rules.filter(
      allowsMore,
    )
    const item = permissionsTrustItem(file, rules)
    const line = Number(rules[0]?.place.slice(file.length + 1))
    const what = `allows calls without approval: ${rules.map(({ text }) => text).join(', ')}`
    if (item !== undefined) items.push({ ...item, file, line, what })
  }
  return { items, unusable }
}
