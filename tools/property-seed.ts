import fc from 'fast-check'

// Always the same examples: what a new one finds need not come from the change under test. `WABAKIT_SEED=2 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env.WABAKIT_SEED ?? 1) })
