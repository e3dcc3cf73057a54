import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Damages a closed SQLite database: a value of many `x` can then not be read past its first overflow page. */
export const damageOverflowPage = (database: string): void => {
  // The first four bytes of an overflow page are the number of the next one.
  const bytes = readFileSync(database)
  const page = bytes.indexOf('x'.repeat(4_092), 4_096)
  expect(page % 4_096).toBe(4)
  bytes.writeUInt32BE(0xffff_fff0, page - 4)
  writeFileSync(database, bytes)
}
