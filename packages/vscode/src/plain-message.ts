/** Text for a notification, in which VS Code makes links of `[text](target)`: text of agents and files must not become one. */
export function plainMessage(text: string): string {
  return text.replace(/\]\(/g, '] (')
}
