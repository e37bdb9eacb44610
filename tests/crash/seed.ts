/** `CADRE_SEED` repeats a run that failed; another number chooses other moments and other points to kill at. */
export const seed = Number(process.env['CADRE_SEED'] ?? 20_261_116)
