import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The licences of the packages in a bundle, as one text: most of them must be included with every copy. */
export function thirdPartyNotices(chunks) {
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds)
  const folders = new Set(modules.map(packageFolderOf).filter((folder) => folder !== undefined))
  const notices = [...folders].map(noticeOf).sort()
  return `This extension contains the following packages.\n\n${notices.join('\n\n')}\n`
}

function packageFolderOf(id) {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1]
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((file) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(file))
  const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim()
  return `--- ${name} ${version} (${license})\n\n${text}`.trim()
}
