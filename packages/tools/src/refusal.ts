import { sentenceOf, type ToolResult } from '@cadre/core'

/** Ends a tool call with a sentence for the model: what failed, and what to do. Caught inside the tool. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Runs a tool; all file and network errors become a failed result. */
export async function outcomeOf(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    return { failed: true, content: explainError(error) }
  }
}

/** Returns one sentence for an error of the operating system, without stack and absolute paths. */
export function explainError(error: unknown): string {
  if (error instanceof Refusal) return error.message
  const code = codeOf(error)
  const sentence = code === undefined ? undefined : sentences[code]
  return sentence ?? `The call failed: ${sentenceOf(error)}`
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const sentences: { readonly [code: string]: string | undefined } = {
  ENOENT: 'The file or folder does not exist. Find files with list_directory or find_files.',
  ENOTDIR: 'A part of the path is a file, not a folder. Check it with list_directory.',
  EISDIR: 'The path is a folder, not a file. List it with list_directory.',
  EACCES: 'Permission denied for this file or folder. Choose another one.',
  EPERM: 'The operation is not permitted. Choose another file or folder.',
  EROFS: 'The file system is read-only.',
  ENOSPC: 'The disk is full. Free some space and try again.',
  EDQUOT: 'The disk quota is used up. Free some space and try again.',
  ENAMETOOLONG: 'The path or a name in it is too long. Use a shorter one.',
  ELOOP: 'The path goes through too many symbolic links. Use the path to the real file.',
  EMFILE: 'Too many open files. Try again.',
  ENXIO: 'The path is not a regular file.',
}
