import type { PlacedFile } from '@cadre/agents'
import type { Checks } from './find-checks.ts'

/** The phases of the verifier, with the commands of this project. */
export function verificationChecklist({ lint, build, unit, integration }: Checks): PlacedFile {
  const rows = [
    ['Lint and types', commands(lint)],
    ['Build', commands(build)],
    ['Unit tests', commands(unit)],
    ['Integration tests', commands(integration)],
    ['Visible behaviour', 'Use the program, or ask the vision-operator to inspect it'],
  ]
  const text = `# Verification checklist

After every change, the verifier works through these phases. It reports what it ran and the result of each, or why a phase does not apply.
Cadre found these commands in the project when it created this file. Edit them: Cadre keeps your changes.

| phase | commands |
|---|---|
${rows.map(([phase, all]) => `| ${phase} | ${all} |`).join('\n')}

A test that was weakened, skipped or deleted is a failure, even if everything else passes.

To test this project's hooks, run \`node scripts/test-hook-artifacts.mjs\`.
`
  return { path: '.github/hooks/verification.md', text }
}

function commands(all: readonly string[]): string {
  return all.length === 0 ? 'None found' : all.map((command) => `\`${command}\``).join(', ')
}
