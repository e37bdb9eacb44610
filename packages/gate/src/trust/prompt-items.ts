import { findPromptFiles } from '@cadre/knowledge'
import { promptAllowances, trustItemOfPromptFile } from '../permissions/prompt-allowances.ts'
import type { FolderItem } from './folder-item.ts'

/** Prompt files in the project that allow calls without approval. */
export function promptItems(project: string, userHome: string): readonly FolderItem[] {
  return findPromptFiles({ workspace: project, userHome }).prompts.flatMap((prompt) => {
    const item = trustItemOfPromptFile(prompt)
    if (item === undefined) return []
    const rules = promptAllowances(prompt).map(({ text }) => text)
    return [
      {
        ...item,
        file: prompt.file,
        what: `allows calls by /${prompt.name} without approval: ${rules.join(', ')}`,
      },
    ]
  })
}
