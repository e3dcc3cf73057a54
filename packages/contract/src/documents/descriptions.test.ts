import { expect, test } from 'vitest'
import { descriptionsSource, readDescriptions } from '../../test/descriptions-source.ts'

test('the descriptions in the documents are the doc comments of the sources', async () => {
  await expect(descriptionsSource()).toMatchFileSnapshot('./descriptions.ts')
})

test('every schema, every field and every error code has a doc comment', () => {
  for (const [name, { description, fields }] of Object.entries(readDescriptions())) {
    expect(description, name).not.toBe('')
    for (const [field, text] of Object.entries(fields)) expect(text, `${name}.${field}`).not.toBe('')
  }
})
