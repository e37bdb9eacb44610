const telemetry = 'packages/telemetry/src'
const settings = [`${telemetry}/read-telemetry-settings.test.ts`]

/** What leaves this machine for a collector. */
export const telemetryMutants = {
  tests: [`${telemetry}/span-tracker.test.ts`],
  rows: [
    [
      'content is exported although nobody asked for it',
      `${telemetry}/create-telemetry.ts`,
      'settings.content ? maskAlso(mask, settings) : undefined',
      'maskAlso(mask, settings)',
      ['tests/cli/telemetry.test.ts'],
    ],
    [
      'the error of a tool is exported although it is content',
      `${telemetry}/span-tracker.ts`,
      "errorStatus(this.#options.content.text('message', message)['message'])",
      'errorStatus(message)',
    ],
    [
      'a secret that crosses the cut of a text is exported in part',
      `${telemetry}/content.ts`,
      'mask(text.slice(0, most + margin))',
      'mask(text.slice(0, most))',
    ],
    [
      'a wrong header is printed with its value',
      `${telemetry}/read-telemetry-settings.ts`,
      "wrong === 1 ? 'an entry'",
      'wrong > 0 ? String(get(name))',
      settings,
    ],
    [
      'a collector that is busy for a moment loses data',
      `${telemetry}/batch-queue.ts`,
      'if (!retry || this.#tries',
      'if (retry || this.#tries',
      [`${telemetry}/create-telemetry.test.ts`],
    ],
  ],
}
