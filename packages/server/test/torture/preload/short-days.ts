/** Lets a day of retention take so many milliseconds (`WABAKIT_DAY_MS`). */
import { editSources } from './edit-sources.ts'

editSources({
  '/serve/runtime.ts': [['const dayMs = 86_400_000', `const dayMs = ${Number(process.env.WABAKIT_DAY_MS)}`]],
})
