import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeCases } from '@wabakit/core/testing'
import { afterAll, test } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-store-cases-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(storeCases.map((each, index) => ({ ...each, path: join(folder, `${index}.db`) })))(
  '$name',
  ({ run, path }) => run(async () => sqliteStore({ path })),
)
