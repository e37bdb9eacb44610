const report = (...sections: string[]) => sections.map((name) => `## ${name}\nSomething.\n`).join('\n')

/** Complete reports, with every section of their role. */
export const verified = report('Verification Report', 'Verdict', 'Failing Commands or Evidence')
export const built = report('Changed Files', 'Local Proofs', 'Unresolved Risks')
