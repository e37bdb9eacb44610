export type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** Ctrl+S, or Cmd+S on a Mac. */
export function isSaveKey({ key, ctrlKey, metaKey, shiftKey, altKey }: Keys): boolean {
  return key.toLowerCase() === 's' && ctrlKey !== metaKey && !shiftKey && !altKey
}
