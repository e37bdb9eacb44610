import fc from 'fast-check'

/** Every run uses the same cases; `CADRE_SEED=4711 npx vitest run` uses others. A failing case prints its seed. */
fc.configureGlobal({ seed: Number(process.env['CADRE_SEED'] ?? 20_261_116) })
