const runtime = 'packages/runtime/src'
const trust = 'packages/home/src/trust'
const folders = ['tests/cli/trust.test.ts', 'tests/cli/trust-hooks.test.ts']
const homes = ['tests/cli/hostile-home.test.ts']

/** How a run is assembled: trust, grants, controls and policy. */
export const runtimeMutants = {
  tests: ['tests/cli/grants.test.ts'],
  rows: [
    [
      'the flags of a run are not recorded',
      `${runtime}/create-runtime.ts`,
      "if (event.type === 'session.started' && event.depth === 0) keepGrant(event.root)",
      '',
    ],
    [
      'a grant is not bound to its contents',
      `${trust}/grants.ts`,
      'if ((Object.keys(run) as (keyof GrantedRun)[]).some((key) => found[key] !== run[key])) return undefined',
      '',
      [`${trust}/grants.test.ts`],
    ],
    [
      'a grant that matches several runs is used for the first',
      `${runtime}/with-recorded-grant.ts`,
      'if (id === undefined || others.length > 0) return flags',
      'if (id === undefined) return flags',
      [`${runtime}/with-recorded-grant.test.ts`],
    ],
    [
      'a resumed run trusts everything that is in its folder now',
      `${trust}/trust.ts`,
      'other.path === path && other.sha256 === sha256',
      'other.path === path',
      [...folders, 'tests/cli/grants.test.ts'],
    ],
    [
      'items that no one has reviewed are trusted with the rest',
      `${runtime}/trust-folder.ts`,
      /left\.items\.filter\(.*$/m,
      'left.items',
      ['packages/runtime/src'],
    ],
    [
      'an untrusted home is used',
      `${runtime}/load-folder.ts`,
      'const home = homeTrusted ? found : substituteHome(io, found)',
      'const home = found',
      homes,
    ],
    [
      'hooks of an untrusted folder run',
      `${runtime}/load-parts.ts`,
      'trusted: (item) => folder.trusts(item),\n    ownHome: home.path,\n  })',
      'trusted: () => true,\n    ownHome: home.path,\n  })',
      folders,
    ],
    [
      'a model that the policy forbids is used',
      `${runtime}/load-parts.ts`,
      'models: restrictModels(models, policy)',
      'models',
      ['tests/cli/policy.test.ts', 'tests/cli/organisation-policy.test.ts'],
    ],
    [
      'the controls of a run are dropped',
      `${runtime}/orchestrate.ts`,
      '    ...(controls && { controls }),\n  })',
      '  })',
      ['packages/runtime/src'],
    ],
    [
      'an unattended run waits for a person',
      `${runtime}/create-runtime.ts`,
      'const ask = options.noHuman ? refuseWithoutPerson : options.ask',
      'const ask = options.ask',
      ['tests/cli/approvals.test.ts', 'tests/cli/questions.test.ts', 'tests/cli/trust.test.ts'],
    ],
  ],
}
