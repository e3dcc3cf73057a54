import { errorCodes, eventNames } from '@wabakit/wire'
import { limits } from '@wabakit/wire/definitions'
import { expect, test } from 'vitest'
import { HealthEvent, HealthEventData, healthEventNames } from '../src/health-event.ts'
import { formatDescriptions, readDescriptions } from './descriptions-source.ts'
import { renderErrorsPage, renderEventsPage, renderHealthEventsPage } from './docs-pages.ts'

const docs = '../../../docs'

const described = readDescriptions()

test('every schema, every field and every error code has a doc comment', () => {
  for (const [name, { description, fields }] of Object.entries(described)) {
    expect(description, name).not.toBe('')
    for (const [field, text] of Object.entries(fields)) expect(text, `${name}.${field}`).not.toBe('')
  }
})

test.each([
  ['subject', 'invalid_subject', limits.subjectMaxLength],
  ['description', 'invalid_description', limits.descriptionMaxLength],
  ['groupId', 'invalid_group_id', limits.groupIdMaxLength],
])('the descriptions of %s and %s mention the limit of %i', (field, code, limit) => {
  expect(described.CreateGroupRequest?.fields[field]).toContain(` ${limit} characters`)
  expect(described.errorCodes?.fields[code]).toContain(` ${limit} characters`)
})

test('the descriptions in the documents are the doc comments in the sources', async () => {
  await expect(formatDescriptions(described)).toMatchFileSnapshot('../src/documents/descriptions.ts')
})

test('docs/reference/errors.md lists every error code with its meaning and remedy', async () => {
  const page = renderErrorsPage(described)
  await expect(page).toMatchFileSnapshot(`${docs}/reference/errors.md`)
  const sections = [...page.matchAll(/^### `(\w+)`\n\n.+\. .+\.\n\nReturned by .+\.$/gm)]
  expect(sections.map(([, code]) => code)).toEqual(Object.keys(errorCodes))
})

test('docs/reference/events.md describes every event', async () => {
  const page = renderEventsPage(described)
  await expect(page).toMatchFileSnapshot(`${docs}/reference/events.md`)
  const heads = [...page.matchAll(/^## ([A-Z_]+)$/gm)]
  expect(heads.map(([, name]) => name)).toEqual(eventNames)
})

test('docs/reference/health-events.md describes every health event and field', async () => {
  const page = renderHealthEventsPage(described)
  await expect(page).toMatchFileSnapshot(`${docs}/reference/health-events.md`)
  const fields = [...Object.keys(HealthEvent.shape), ...Object.keys(HealthEventData.shape)]
  for (const name of [...healthEventNames, ...fields]) expect(page).toContain(`\`${name}\``)
})
