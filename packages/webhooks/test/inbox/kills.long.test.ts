import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { sharePostgres } from '../postgres.ts'
import { bundleReceiver, killReceiver } from './kills.ts'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-kills-'))
let script: string
let postgres: Awaited<ReturnType<typeof sharePostgres>>
let mariadb: Awaited<ReturnType<typeof startMariadb>> | undefined
beforeAll(async () => {
  script = await bundleReceiver(folder)
  postgres = await sharePostgres()
  if (hasMariadb) mariadb = await startMariadb()
})
afterAll(async () => {
  await postgres.stop()
  await mariadb?.stop()
  rmSync(folder, { recursive: true })
})

describe.concurrent('a receiver that is killed again and again, with a sender that never retries', () => {
  it.each<[string, () => string]>([
    ['SQLite', () => join(folder, 'receiver.db')],
    ['PostgreSQL', () => postgres.connectionString],
    ...(hasMariadb ? [['MariaDB', () => mariadb?.url ?? ''] satisfies [string, () => string]] : []),
  ])('has the effect of each event that got a 200 exactly once on %s', async (_, database) => {
    const result = await killReceiver({ script, database: database(), seed: 1, kills: 2 })
    expect(result).toMatchObject({ kills: 2, missing: 0, doubled: 0 })
    expect(result.acknowledged).toBeGreaterThan(0)
  })
})
