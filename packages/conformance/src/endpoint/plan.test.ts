import { expect, test } from 'vitest'
import { endpointCheckIds, selectChecks } from './plan.ts'

const checks = selectChecks({})
const causes = new Map(checks.map(({ id, follows }) => [id, follows]))
const following = checks.filter(({ follows }) => follows !== undefined)

test.each(following)('what $id follows exists, and has an end', ({ id, follows, unless }) => {
  for (const name of [follows, unless]) if (name !== undefined) expect(endpointCheckIds).toContain(name)
  const chain = [id]
  for (let next = follows; next !== undefined; next = causes.get(next)) {
    // The default of a group names one of its own checks, which follows nothing.
    if (next === chain.at(-1)) break
    expect(chain).not.toContain(next)
    chain.push(next)
  }
})
