import fc from 'fast-check'

/** Every run looks at the same cases; `CADRE_SEED=4711 npx vitest run` looks at others. A case that fails names its seed. */
fc.configureGlobal({ seed: Number(process.env['CADRE_SEED'] ?? 20_261_116) })
