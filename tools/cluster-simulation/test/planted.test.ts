import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { plantedBugs } from '../bugs/index.ts'
import { applyBug } from '../src/planted/plant.ts'

const packages = resolve(import.meta.dirname, '../../../packages')

test('every planted bug can still be planted', () => {
  for (const bug of plantedBugs) {
    const text = readFileSync(resolve(packages, bug.file), 'utf8')
    expect(applyBug(bug, text), bug.name).not.toBe(text)
  }
})

test('there are at least 60 planted bugs, 20 of them in ownership, takeover and cursors', () => {
  const owned = plantedBugs.filter(({ name }) =>
    /^(?:ownership|prefetch|delivery queue: the cursor)/.test(name),
  )
  expect(plantedBugs.length).toBeGreaterThanOrEqual(60)
  expect(owned.length).toBeGreaterThanOrEqual(20)
})
