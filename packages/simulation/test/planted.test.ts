import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { plantedBugs } from '../planted/index.ts'
import { applyBug } from '../src/planted/plant.ts'

const packages = resolve(import.meta.dirname, '../..')

test('every planted bug can still be planted', () => {
  for (const bug of plantedBugs) {
    const text = readFileSync(resolve(packages, bug.file), 'utf8')
    expect(applyBug(bug, text), bug.name).not.toBe(text)
  }
})

test('there are at least 50 planted bugs, 15 of them in group commit, batches and takeover', () => {
  const storage = plantedBugs.filter(({ file }) => file.includes('/stores/'))
  expect(plantedBugs.length).toBeGreaterThanOrEqual(50)
  expect(storage.length).toBeGreaterThanOrEqual(15)
})
