import { expect, test } from 'vitest'
import { errorCodes } from '../src/error-codes.ts'
import { eventNames } from '../src/event-name.ts'
import { descriptionsSource, readDescriptions } from './descriptions-source.ts'
import { errorsPage, eventsPage } from './docs-pages.ts'

const docs = '../../../docs'

const described = readDescriptions()

test('every schema, every field and every error code has a doc comment', () => {
  for (const [name, { description, fields }] of Object.entries(described)) {
    expect(description, name).not.toBe('')
    for (const [field, text] of Object.entries(fields)) expect(text, `${name}.${field}`).not.toBe('')
  }
})

test('the descriptions in the documents are the doc comments of the sources', async () => {
  await expect(descriptionsSource(described)).toMatchFileSnapshot('../src/documents/descriptions.ts')
})

test('docs/errors.md has the closed list of codes, each with status, meaning and remedy', async () => {
  const page = errorsPage(described)
  await expect(page).toMatchFileSnapshot(`${docs}/errors.md`)
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)]
  expect(rows.map(([, code]) => code)).toEqual(Object.keys(errorCodes))
})

test('docs/events.md has every event, with its fields and an example', async () => {
  const page = eventsPage(described)
  await expect(page).toMatchFileSnapshot(`${docs}/events.md`)
  const heads = [...page.matchAll(/^## (\w+)$/gm)]
  expect(heads.map(([, name]) => name)).toEqual(eventNames)
})
