import { describe, expect, test, vi } from 'vitest'
import { isMatrix } from '../../server/test/programs.ts'
import { type Parts, startEndpoint, type Tools } from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

/** An endpoint with one mistake, and the checks that detect it. */
export type Flaw = {
  readonly plant: (tools: Tools) => Partial<Parts>
  readonly fail: readonly string[]
  readonly advice?: readonly string[]
  readonly options?: Parameters<typeof examine>[1]
  /** The checks whose requests show the mistake, if those that detect it send none. */
  readonly seenBy?: readonly string[]
  /** The query of the URL. */
  readonly query?: string
  /** Set if every check examines the endpoint, also in CI. */
  readonly isExaminedByAll?: true
}

/**
 * Examines an endpoint with each of these flaws, and expects exactly its findings: by every check if it is no mistake or
 * `npm run test:matrix` runs, and else by the checks that detect it.
 */
export const describeFlaws = (title: string, flaws: Readonly<Record<string, Flaw>>): void => {
  vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })
  describe.concurrent(title, () => {
    test.each(Object.entries(flaws))(
      'it %s',
      async (_, {
        plant,
        fail,
        advice = [],
        options,
        seenBy = [],
        query = '',
        isExaminedByAll = isMatrix,
      }) => {
        const isMistake = fail.length + advice.length > 0
        const only = isMistake && !isExaminedByAll ? [...seenBy, ...fail, ...advice] : undefined
        const report = await examineUndisturbed(async () => {
          await using endpoint = await startEndpoint(plant)
          return await examine({ ...endpoint, url: endpoint.url + query }, { only, ...options })
        })
        const observed = report.checks
          .map((check) => `${check.id}: ${check.verdict}, ${check.observed}`)
          .join('\n')
        expect(listFindings(report), observed).toEqual({ fail: [...fail].sort(), advice: [...advice].sort() })
        expect(report.verdict).toBe(fail.length > 0 ? 'fail' : 'pass')
      },
    )
  })
}
