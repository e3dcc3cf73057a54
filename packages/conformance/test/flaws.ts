import { describe, expect, test, vi } from 'vitest'
import { type Parts, startEndpoint, type Tools } from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

/** An endpoint with one mistake, and the checks that detect it. */
export type Flaw = {
  readonly plant: (tools: Tools) => Partial<Parts>
  readonly fail: readonly string[]
  readonly advice?: readonly string[]
  readonly options?: Parameters<typeof examine>[1]
  /** The query of the URL. */
  readonly query?: string
}

/** Examines an endpoint with each of these flaws, and expects exactly its findings. */
export const describeFlaws = (title: string, flaws: Readonly<Record<string, Flaw>>): void => {
  vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })
  describe.concurrent(title, () => {
    test.each(Object.entries(flaws))(
      'it %s',
      async (_, { plant, fail, advice = [], options, query = '' }) => {
        const report = await examineUndisturbed(async () => {
          await using endpoint = await startEndpoint(plant)
          return await examine({ ...endpoint, url: endpoint.url + query }, options)
        })
        expect(listFindings(report)).toEqual({ fail: [...fail].sort(), advice: [...advice].sort() })
        expect(report.verdict).toBe(fail.length > 0 ? 'fail' : 'pass')
      },
    )
  })
}
