import { expect, it } from 'vitest'
import type { InboxEngine } from './engine.ts'
import { createEntries } from './entries.ts'

it('starts claimed entries in order of arrival, in whatever order the database returns them', async () => {
  const rows = [3, 1, 2, 10].map((id) => ({ id, attempts: 1, received_at: 0 }))
  const engine = { dialect: 'sqlite', claim: async () => rows } as unknown as InboxEngine
  const retention = { handledBodyMs: 1, parkedBodyMs: 1, keyMs: 1 }
  const { claim } = createEntries({ table: 'inbox', engine, retention, now: () => '0' })
  const claimed = await claim({ again: false, except: [], limit: 4, claimMs: 1 })
  expect(claimed.map(({ id }) => id)).toEqual(['1', '2', '3', '10'])
})
