import { expect, test } from 'vitest'
import { errorCodes } from '../src/error-codes.ts'
import { eventNames } from '../src/webhook-event.ts'
import { errorsPage, eventsPage } from './docs-pages.ts'

const docs = '../../../docs'

test('docs/errors.md has the closed list of codes, each with status, meaning and remedy', async () => {
  const page = errorsPage()
  await expect(page).toMatchFileSnapshot(`${docs}/errors.md`)
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)]
  expect(rows.map(([, code]) => code)).toEqual(Object.keys(errorCodes))
})

test('docs/events.md has every event, with its fields and an example', async () => {
  const page = eventsPage()
  await expect(page).toMatchFileSnapshot(`${docs}/events.md`)
  const heads = [...page.matchAll(/^## (\w+)$/gm)]
  expect(heads.map(([, name]) => name)).toEqual(eventNames)
})
