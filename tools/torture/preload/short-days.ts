/** Sets the length of a day of retention, in milliseconds (`WABAKIT_DAY_MS`). */
import { editSources } from './edit-sources.ts'

editSources({
  '/serve/runtime.ts': [['const dayMs = 86_400_000', `const dayMs = ${Number(process.env.WABAKIT_DAY_MS)}`]],
})
