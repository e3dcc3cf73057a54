import { expect, test } from 'vitest'
import { descriptionsSource, readDescriptions } from '../../test/descriptions-source.ts'

const described = readDescriptions()

test('the descriptions in the documents are the doc comments of the sources', async () => {
  await expect(descriptionsSource(described)).toMatchFileSnapshot('./descriptions.ts')
})

test('every schema, every field and every error code has a doc comment', () => {
  for (const [name, { description, fields }] of Object.entries(described)) {
    expect(description, name).not.toBe('')
    for (const [field, text] of Object.entries(fields)) expect(text, `${name}.${field}`).not.toBe('')
  }
})
