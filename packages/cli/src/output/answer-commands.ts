/** The commands that answer a pending approval, or a question about a call in doubt. */
export function answerCommands(id: string, isDoubt: boolean, flags: string): string[] {
  if (!isDoubt) return [`cadre approve ${id}${flags}`, `cadre reject ${id} --reason "…"${flags}`]
  return [
    `cadre approve ${id}${flags}          it had no effect: run it again`,
    `cadre approve ${id} --done${flags}   it took effect: do not run it again`,
    `cadre reject ${id}${flags}           not sure: do not run it again; the agent must check`,
  ]
}
