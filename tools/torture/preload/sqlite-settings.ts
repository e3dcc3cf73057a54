/**
 * Sets SQLite's `synchronous` (`WABAKIT_SYNCHRONOUS`) and the number of pages between checkpoints
 * (`WABAKIT_CHECKPOINT`).
 */
import { editSources } from './edit-sources.ts'

editSources({
  '/stores/sqlite/open-database.ts': [
    ['synchronous = full', `synchronous = ${process.env.WABAKIT_SYNCHRONOUS}`],
    ['wal_autocheckpoint = 4096', `wal_autocheckpoint = ${process.env.WABAKIT_CHECKPOINT}`],
  ],
})
